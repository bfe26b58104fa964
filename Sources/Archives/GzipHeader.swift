/// The header of one gzip member.
struct GzipHeader {
    let name: [UInt8]?
    let modifiedSeconds: Int64?

    /// How long a name or comment may be; both have no length field.
    private static let maximumTextBytes = 64 << 10

    static func magic(in bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b
    }

    init(reading input: BufferedInput) throws(ArchiveError) {
        let start = input.offset
        guard try input.fill(2), Self.magic(in: input.available) else {
            throw ArchiveError(.malformed, "no gzip header", offsetBytes: start)
        }
        var header = HeaderChecksum(input: input, start: start)
        let fixed = try header.take(10)
        guard fixed[2] == 8 else {
            throw ArchiveError(.unsupported, "gzip compression method \(fixed[2])", offsetBytes: start)
        }
        let flags = fixed[3]
        guard flags & 0b1110_0000 == 0 else {
            throw ArchiveError(.malformed, "the gzip header sets reserved flags", offsetBytes: start)
        }
        let seconds = fixed.uint32(at: 4)
        modifiedSeconds = seconds == 0 ? nil : Int64(seconds)
        if flags & 0b100 != 0 {
            let length = Int(try header.take(2).uint16(at: 0))
            _ = try header.take(length)
        }
        name = flags & 0b1000 != 0 ? try header.takeText(limitBytes: Self.maximumTextBytes) : nil
        if flags & 0b1_0000 != 0 { _ = try header.takeText(limitBytes: Self.maximumTextBytes) }
        if flags & 0b10 != 0 {
            let expected = UInt16(truncatingIfNeeded: header.crc.value)
            guard try header.take(2).uint16(at: 0) == expected else {
                throw ArchiveError(.corrupted, "the CRC of the gzip header doesn't match", offsetBytes: start)
            }
        }
    }
}

/// Takes a header's bytes while its checksum runs along.
private struct HeaderChecksum {
    let input: BufferedInput
    let start: Int64
    var crc = CRC32()

    mutating func take(_ count: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
        guard let bytes = try input.take(count) else { throw cut }
        crc.update(bytes)
        return bytes
    }

    /// Takes the bytes up to a NUL, which is taken too.
    mutating func takeText(limitBytes: Int) throws(ArchiveError) -> [UInt8] {
        var text: [UInt8] = []
        while text.count <= limitBytes {
            let byte = try take(1)[0]
            if byte == 0 { return text }
            text.append(byte)
        }
        throw ArchiveError(.corrupted, "a text in the gzip header doesn't end", offsetBytes: start)
    }

    private var cut: ArchiveError { ArchiveError(.corrupted, "the gzip header is cut short", offsetBytes: start) }
}
