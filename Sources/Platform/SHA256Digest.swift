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
        self.init(hexDigits: Array(hex.utf8).span.bytes, foldingCase: true)
    }

    private init?(hexDigits digits: RawSpan, foldingCase: Bool) {
        guard digits.byteCount == 64 else { return nil }
        guard let first = Self.word(digits, 0, foldingCase), let second = Self.word(digits, 16, foldingCase),
            let third = Self.word(digits, 32, foldingCase), let fourth = Self.word(digits, 48, foldingCase)
        else { return nil }
        words = (first, second, third, fourth)
    }

    private static func word(_ digits: RawSpan, _ start: Int, _ foldingCase: Bool) -> UInt64? {
        let high = digits.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self)
        let low = digits.unsafeLoadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
        guard let high = value(ofDigits: high, foldingCase), let low = value(ofDigits: low, foldingCase) else {
            return nil
        }
        return UInt64(high) << 32 | UInt64(low)
    }

    /// What eight hexadecimal digits mean, in the order of memory; nil when one of them is none.
    ///
    /// All at once: a digit's value is its low four bits, and nine more for letters, which have the bit 0x40. Whether each byte was a digit
    /// shows when the values are written as digits again.
    private static func value(ofDigits memory: UInt64, _ foldingCase: Bool) -> UInt32? {
        let everyByte: UInt64 = 0x0101_0101_0101_0101
        var digits = UInt64(bigEndian: memory)
        // A small letter has the bit 0x20 beside 0x40.
        if foldingCase { digits |= (digits & (everyByte &* 0x40)) >> 1 }
        let letters = (digits >> 6) & everyByte
        // No byte carries into the next one: the sums are at most 24 and 111.
        let values = (digits & (everyByte &* 0x0F)) &+ letters &* 9
        let above9 = ((values &+ everyByte &* 6) >> 4) & everyByte
        let written = values &+ everyByte &* 0x30 &+ above9 &* 39
        guard written == digits, values & (everyByte &* 0xF0) == 0 else { return nil }
        let pairs = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
        let fours = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: fours | fours >> 16)
    }

    /// Reads 64 hexadecimal digits in lower case, the form `description` writes; nil for anything else.
    package init?(lowercaseHex text: String) { self.init(lowercaseHexDigits: Array(text.utf8).span.bytes) }

    /// The same from the text's bytes.
    package init?(lowercaseHexDigits digits: RawSpan) { self.init(hexDigits: digits, foldingCase: false) }

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
}
