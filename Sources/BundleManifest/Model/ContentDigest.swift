/// A SHA-256 as a manifest gives it. Kept inline: a manifest may have a million.
package struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Reads 64 lowercase hexadecimal digits.
    package init?(hex: String) {
        var digits = hex.utf8.makeIterator()
        guard hex.utf8.count == 64, let first = Self.word(&digits), let second = Self.word(&digits),
            let third = Self.word(&digits), let fourth = Self.word(&digits)
        else { return nil }
        words = (first, second, third, fourth)
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

    private static func word(_ digits: inout String.UTF8View.Iterator) -> UInt64? {
        var word: UInt64 = 0
        for _ in 0..<16 {
            switch digits.next() {
            case .some(let digit) where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
                word = word << 4 | UInt64(digit - UInt8(ascii: "0"))
            case .some(let digit) where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit):
                word = word << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return word
    }
}
