/// The first packet of a transport stream (ISO/IEC 13818-1 §2.4.3), as far as it shows whether its bytes are right.
struct TransportPacket {
    private let bytes: ArraySlice<UInt8>

    /// - Parameter head: 188 bytes or more.
    init(head: [UInt8]) { bytes = head.prefix(MediaContainer.packetBytes) }

    /// Whether the table in it has the check sum that it tells; nil where there is no whole table. A vector that is wrong by little damages nothing
    /// but this packet, and nothing else would show it.
    var isTableIntact: Bool? {
        guard let table, let length = lengthOfSection(table), length <= table.count else { return nil }
        // Of a section with its check sum the remainder is zero.
        return Self.remainder(of: table.prefix(length)) == 0
    }

    /// What stands behind the header where that begins a program association or a service description.
    private var table: ArraySlice<UInt8>? {
        guard bytes.count == MediaContainer.packetBytes, bytes[1] & 0x40 != 0 else { return nil }
        let identifier = Int(bytes[1] & 0x1f) << 8 | Int(bytes[2])
        guard identifier == 0x00 || identifier == 0x11, bytes[3] & 0x10 != 0 else { return nil }
        let payload = bytes.dropFirst(bytes[3] & 0x20 != 0 ? 5 + Int(bytes[4]) : 4)
        guard let pointer = payload.first else { return nil }
        return payload.dropFirst(1 + Int(pointer))
    }

    private func lengthOfSection(_ table: ArraySlice<UInt8>) -> Int? {
        let header = Array(table.prefix(3))
        return header.count == 3 ? 3 + (Int(header[1] & 0x0f) << 8 | Int(header[2])) : nil
    }

    /// CRC-32 as MPEG has it (ISO/IEC 13818-1 annex A).
    private static func remainder(of bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte) << 24) { crc, _ in
                crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04c1_1db7 : crc << 1
            }
        }
    }
}
