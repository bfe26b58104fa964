/// The formats whose beginning is known, of images and of what players read.
enum FileFormat: String, CaseIterable {
    case png = "PNG"
    case jpeg = "JPEG"
    case gif = "GIF"
    case webp = "WebP"
    case bmp = "BMP"
    case ktx = "KTX"
    case ktx2 = "KTX 2"
    case dds = "DDS"
    case transportStream = "an MPEG transport stream"
    case fragmentedMP4 = "MP4"
    case aac = "AAC"
    case webVTT = "WebVTT"
    case playlist = "an HLS playlist"
    case pdf = "PDF"

    static let images: Set<FileFormat> = [.png, .jpeg, .gif, .webp, .bmp, .ktx, .ktx2, .dds]

    /// The one that belongs to the extension of a path; nil for any other extension.
    init?(nameOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        guard let format = Self.allCases.first(where: { $0.extensions.contains(ending) }) else { return nil }
        self = format
    }

    /// The one that a file begins as; nil for any other.
    init?(_ ends: FileEnds) {
        guard let format = Self.allCases.first(where: { $0.begins(ends) }) else { return nil }
        self = format
    }

    private var extensions: [String] {
        switch self {
        case .png: ["png"]
        case .jpeg: ["jpg", "jpeg"]
        case .gif: ["gif"]
        case .webp: ["webp"]
        case .bmp: ["bmp"]
        case .ktx: ["ktx"]
        case .ktx2: ["ktx2"]
        case .dds: ["dds"]
        case .transportStream: ["ts", "m2ts"]
        case .fragmentedMP4: ["mp4", "m4s", "m4v", "m4a", "cmfv", "cmfa"]
        case .aac: ["aac"]
        case .webVTT: ["vtt"]
        case .playlist: ["m3u8"]
        case .pdf: ["pdf"]
        }
    }

    private func begins(_ ends: FileEnds) -> Bool {
        switch self {
        case .png: ends.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .jpeg: ends.starts(with: [0xFF, 0xD8, 0xFF])
        case .gif: ends.starts(with: "GIF87a") || ends.starts(with: "GIF89a")
        case .webp: ends.starts(with: "RIFF") && ends.starts(with: "WEBP", at: 8)
        // Two letters alone are too little; the four bytes behind the length are zero.
        case .bmp: ends.starts(with: "BM") && ends.starts(with: [0, 0, 0, 0], at: 6)
        case .ktx: ends.starts(with: [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x31, 0x31, 0xBB])
        case .ktx2: ends.starts(with: [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB])
        case .dds: ends.starts(with: "DDS ") && ends.number(at: 4, bytes: 4) == 124
        case .transportStream: beginsTransportStream(ends)
        case .fragmentedMP4: ["ftyp", "styp", "moof", "sidx", "moov", "emsg"].contains { ends.starts(with: $0, at: 4) }
        // The sync word of ADTS with layer 0, or the ID3 tag that HLS puts before it.
        case .aac:
            (ends.starts(with: [0xFF]) && ends.head.dropFirst().first.map { $0 & 0xF6 == 0xF0 } ?? false)
                || ends.starts(with: "ID3")
        case .webVTT: ends.starts(with: "WEBVTT") || ends.starts(with: [0xEF, 0xBB, 0xBF] + Array("WEBVTT".utf8))
        case .playlist: ends.starts(with: "#EXTM3U")
        case .pdf: ends.starts(with: "%PDF-")
        }
    }

    /// Packets of 188 bytes (ISO/IEC 13818-1), or of 192 with a time before each, begin with 0x47.
    private func beginsTransportStream(_ ends: FileEnds) -> Bool {
        for (packet, first) in [(188, 0), (192, 4)] where ends.starts(with: [0x47], at: first) {
            let next = first + packet
            if ends.head.count <= next || ends.starts(with: [0x47], at: next) { return true }
        }
        return false
    }
}

extension FileEnds {
    fileprivate func starts(with text: String, at offset: Int = 0) -> Bool {
        starts(with: Array(text.utf8), at: offset)
    }
}
