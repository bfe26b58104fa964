/// Resolves percent-encoding (RFC 3986 §2.1); a `%` that begins no triplet stands for itself.
package func percentDecoded(_ encoded: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = Array(encoded)[...]
    while let byte = rest.popFirst() {
        let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        if byte == UInt8(ascii: "%"), digits.count == 2 {
            result.append(UInt8(digits[0] << 4 | digits[1]))
            rest = rest.dropFirst(2)
        } else {
            result.append(byte)
        }
    }
    return result
}

extension UInt8 {
    /// The triplet that stands for it: `%2F`.
    var percentEncoded: String { (self < 0x10 ? "%0" : "%") + String(self, radix: 16, uppercase: true) }
}
