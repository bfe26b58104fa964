/// A gzip file (RFC 1952) whose deflate stream is of stored blocks: bigger than its content, but without a compressor.
package func storedGzip(_ bytes: [UInt8]) -> [UInt8] {
    var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var rest = bytes[...]
    repeat {
        let block = rest.prefix(65_535)
        rest = rest.dropFirst(block.count)
        let length = UInt16(block.count)
        file.append(rest.isEmpty ? 1 : 0)
        file += littleEndian(length) + littleEndian(~length) + block
    } while !rest.isEmpty
    return file + littleEndian(crc32(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
}

/// The check sum of gzip and zip (RFC 1952 §8).
package func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    crcTable.withUnsafeBufferPointer { table in
        for byte in bytes { crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }
    return ~crc
}

/// What each byte contributes: a debug build takes seconds for a few megabytes bit by bit.
private let crcTable: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
}

private func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian, Array.init)
}
