/// A SHA-256 value: 32 bytes, written as 64 lowercase hexadecimal digits.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    private let value: SIMD32<UInt8>

    init(_ value: SIMD32<UInt8>) { self.value = value }

    /// Reads 64 hexadecimal digits, in either case; nil for anything else.
    public init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 64 else { return nil }
        var value = SIMD32<UInt8>()
        for index in 0..<32 {
            guard let high = Self.digitValue(digits[2 * index]), let low = Self.digitValue(digits[2 * index + 1]) else {
                return nil
            }
            value[index] = high << 4 | low
        }
        self.value = value
    }

    /// Takes the 32 bytes of a digest; nil for any other number of them.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        value = SIMD32(bytes)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { (0..<32).map { value[$0] } }

    /// 64 lowercase hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digitValue(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
