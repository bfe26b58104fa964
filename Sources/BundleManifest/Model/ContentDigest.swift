/// A SHA-256 as a manifest gives it. Kept inline: a manifest may have a million.
package struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Reads 64 lowercase hexadecimal digits.
    package init?(hex: String) {
        var hex = hex
        let words = hex.withUTF8 { digits -> (UInt64, UInt64, UInt64, UInt64)? in
            guard digits.count == 64, let first = Self.word(digits, at: 0), let second = Self.word(digits, at: 16),
                let third = Self.word(digits, at: 32), let fourth = Self.word(digits, at: 48)
            else { return nil }
            return (first, second, third, fourth)
        }
        guard let words else { return nil }
        self.words = words
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
    }

    /// 64 lowercase hexadecimal digits.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }

    package var description: String { hex }

    package static func == (one: Self, other: Self) -> Bool { one.words == other.words }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

    /// Without branches on the digits: they are random, so a branch would be mispredicted half of the time.
    private static func word(_ digits: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt64? {
        var word: UInt64 = 0
        var allHex: UInt8 = 1
        for index in start..<start + 16 {
            let digit = digits[index]
            let isLetter: UInt8 = digit &- UInt8(ascii: "a") < 6 ? 1 : 0
            let isDigit: UInt8 = digit &- UInt8(ascii: "0") < 10 ? 1 : 0
            allHex &= isLetter | isDigit
            word = word << 4 | UInt64((digit & 0xF) &+ isLetter &* 9)
        }
        return allHex == 1 ? word : nil
    }
}
