import CZlib

/// A running CRC-32, as zip and gzip use it (ISO 3309).
struct CRC32 {
    private(set) var value: UInt32 = 0

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let pointer = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        // zlib's own start value is what a null pointer yields; an empty piece changes nothing.
        guard let pointer else { return }
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), pointer, bytes.count))
    }
}
