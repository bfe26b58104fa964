import CZlib

/// The CRC-32 of `content` as eight hexadecimal digits.
func crc32(_ content: [UInt8]) -> String {
    let digits = String(crcValue(content), radix: 16)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
}

func crcValue(_ content: [UInt8]) -> UInt32 {
    content.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
}

extension [UInt8] {
    /// Appends a number as zip and gzip write it.
    mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
