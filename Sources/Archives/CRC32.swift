import CDeflate

/// A running CRC-32, as zip and gzip use it (ISO 3309).
struct CRC32 {
    private(set) var value: UInt32 = 0

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // A null pointer would begin anew; an empty piece changes nothing.
        guard let pointer = bytes.baseAddress else { return }
        value = libdeflate_crc32(value, pointer, bytes.count)
    }

    static func value(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc = CRC32()
        crc.update(bytes)
        return crc.value
    }
}
