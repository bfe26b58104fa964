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

/// Bytes that don't compress, the same in every run.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9e37_79b9_7f4a_7c15
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
}
