/// A SHA-256 value: 32 bytes, written as 64 lowercase hexadecimal digits.
///
/// Kept inline, as four words and no SIMD vector: Swift 6.3 gives async functions too small a frame for values aligned to more than 16 bytes.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// The digest's bytes in their order, eight to a word, the first in the highest place.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Takes the 32 bytes of a digest; nil for any other number of them.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var rest = bytes.makeIterator()
        func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(rest.next() ?? 0) } }
        words = (word(), word(), word(), word())
    }

    /// Reads 64 hexadecimal digits, in either case; nil for anything else.
    public init?(hex: String) {
        self.init(hexDigits: Array(hex.utf8)[...])
    }

    private init?(hexDigits digits: ArraySlice<UInt8>) {
        guard digits.count == 64 else { return nil }
        func word(_ start: Int) -> UInt64? {
            var word: UInt64 = 0
            for digit in digits[(digits.startIndex + start)..<(digits.startIndex + start + 16)] {
                guard let value = Self.digitValue(digit) else { return nil }
                word = word << 4 | UInt64(value)
            }
            return word
        }
        guard let first = word(0), let second = word(16), let third = word(32), let fourth = word(48) else {
            return nil
        }
        words = (first, second, third, fourth)
    }

    /// Reads 64 hexadecimal digits in lower case, the form `description` writes; nil for anything else.
    package init?(lowercaseHex text: String) { self.init(lowercaseHexDigits: Array(text.utf8)[...]) }

    /// The same from the text's bytes.
    package init?(lowercaseHexDigits digits: ArraySlice<UInt8>) {
        guard !digits.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }) else { return nil }
        self.init(hexDigits: digits)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        forEachByte { bytes.append($0) }
        return bytes
    }

    /// 64 lowercase hexadecimal digits.
    public var description: String {
        String(unsafeUninitializedCapacity: 64) { text in
            var position = 0
            forEachByte { byte in
                for half in [byte >> 4, byte & 15] {
                    text[position] = half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "a") + half - 10
                    position += 1
                }
            }
            return position
        }
    }

    private func forEachByte(_ body: (UInt8) -> Void) {
        for word in [words.0, words.1, words.2, words.3] {
            for shift in stride(from: 56, through: 0, by: -8) { body(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
    }

    /// Whether both are the same digest.
    public static func == (left: SHA256Digest, right: SHA256Digest) -> Bool { left.words == right.words }

    /// All of it: the digests of a manifest are whatever its author wrote, and a hundred thousand with one beginning must not be slow.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
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
