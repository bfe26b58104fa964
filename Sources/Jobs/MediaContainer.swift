import Archives

/// What a segment is, by its first bytes (RFC 8216 §3).
enum MediaContainer: Hashable {
    /// MPEG-2 transport stream: packets of 188 bytes.
    case transportStream
    /// Boxes: fragmented MP4 (ISO/IEC 14496-12).
    case boxes
    /// AAC, MP3, AC-3, with or without ID3 in front.
    case packedAudio
    case webVTT
    /// JPEG or PNG.
    case picture

    static let packetBytes = 188
    private static let syncByte: UInt8 = 0x47

    /// Nil for anything else.
    init?(head: [UInt8]) {
        let packets = stride(from: 0, to: head.count, by: Self.packetBytes)
        if head.count >= Self.packetBytes, packets.allSatisfy({ head[$0] == Self.syncByte }) {
            self = .transportStream
        } else if head.count >= 8, FileFormat.firstBoxes.contains(String(decoding: head[4..<8], as: UTF8.self)) {
            self = .boxes
        } else if head.starts(with: "ID3".utf8) || head.starts(with: [0x0b, 0x77]) || Self.isAudioFrame(head) {
            self = .packedAudio
        } else if head.starts(with: "WEBVTT".utf8) || head.starts(with: [0xef, 0xbb, 0xbf] + Array("WEBVTT".utf8)) {
            self = .webVTT
        } else if head.starts(with: [0xff, 0xd8, 0xff]) || head.starts(with: [0x89] + Array("PNG\r\n".utf8)) {
            self = .picture
        } else {
            return nil
        }
    }

    /// Whether a frame of MPEG audio (ISO/IEC 11172-3 §2.4.1.3) or of AAC (ISO/IEC 13818-7 §6.2) begins here. Packets of transport streams are
    /// filled with bytes that look like its first ones, but no frame has a value that is reserved.
    private static func isAudioFrame(_ head: [UInt8]) -> Bool {
        guard head.count >= 4, head[0] == 0xff, head[1] & 0xe0 == 0xe0 else { return false }
        let layer = head[1] >> 1 & 3
        if layer == 0 { return head[1] & 0xf0 == 0xf0 && head[2] >> 2 & 15 < 13 }
        return head[1] >> 3 & 3 != 1 && head[2] >> 4 != 15 && head[2] >> 2 & 3 != 3
    }
}
