import Glibc

/// The text of a playlist, and what is asked of its pieces.
struct PlaylistBytes {
    let bytes: [UInt8]
    /// Whether every piece of it is UTF-8 without a look.
    private let isASCII: Bool
    /// Whether there may be references to variables.
    let hasBraces: Bool
    private let mayHaveControlCharacters: Bool

    /// One look at all the bytes, eight at a time, as nothing is odd about most texts.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var union: UInt64 = 0
        var braces: UInt64 = 0
        var controls: UInt64 = 0
        bytes.withUnsafeBytes { buffer in
            let wholeWords = buffer.count / 8 * 8
            for offset in stride(from: 0, to: wholeWords, by: 8) {
                let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                union |= word
                braces |= Self.marks(of: UInt8(ascii: "{"), in: word)
                controls |= Self.controlMarks(in: word)
            }
            for byte in buffer[wholeWords...] {
                // What stands beside it is a byte that nobody looks for.
                let word = UInt64(byte) | Self.repeated(UInt8(ascii: " ")) << 8
                union |= word
                braces |= Self.marks(of: UInt8(ascii: "{"), in: word)
                controls |= Self.controlMarks(in: word)
            }
        }
        isASCII = union & Self.repeated(0x80) == 0
        hasBraces = braces != 0
        mayHaveControlCharacters = controls != 0
    }

    /// Marks the bytes of a word that are below 0x20, and neither tab nor LF.
    private static func controlMarks(in word: UInt64) -> UInt64 {
        marks(of: 0, in: word & repeated(0xE0)) & ~marks(of: 0x09, in: word) & ~marks(of: 0x0A, in: word)
    }

    /// Sets the highest bit of each byte that equals `byte`, and no other. Nothing is carried from one byte to the next.
    private static func marks(of byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ repeated(byte)
        return ~(((difference & repeated(0x7F)) &+ repeated(0x7F)) | difference | repeated(0x7F))
    }

    private static func repeated(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// The first place of a byte.
    func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard !range.isEmpty, let base = buffer.baseAddress else { return nil }
            let start = base + range.lowerBound
            guard let found = memchr(start, CInt(byte), range.count) else { return nil }
            return range.lowerBound + start.distance(to: UnsafeRawPointer(found))
        }
    }

    func hasPrefix(_ text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { prefix in
            bytes.withUnsafeBytes { buffer in
                guard let left = buffer.baseAddress, let right = prefix.baseAddress else { return prefix.isEmpty }
                return memcmp(left + range.lowerBound, right, prefix.count) == 0
            }
        }
    }

    /// Without blanks at either end.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, Self.isBlank(bytes[start]) { start += 1 }
        while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Whatever isn't UTF-8 is replaced.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Nil for what isn't UTF-8.
    func validText(_ range: Range<Int>) -> String? {
        isASCII ? text(range) : String(validating: bytes[range], as: UTF8.self)
    }

    /// A decimal-integer; nil for anything else, and for what doesn't fit.
    func decimal(_ range: Range<Int>) -> UInt64? {
        guard !range.isEmpty else { return nil }
        var value: UInt64 = 0
        for index in range {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (tenfold, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = tenfold.addingReportingOverflow(UInt64(digit))
            guard !overflowed, !carried else { return nil }
            value = sum
        }
        return value
    }

    /// A signed-decimal-floating-point number of seconds, exact to the attosecond; nil for anything else, and from 2^32 on.
    func seconds(_ range: Range<Int>) -> Duration? {
        var index = range.lowerBound
        let isNegative = index < range.upperBound && bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var whole: Int64 = 0
        var fraction: Int64 = 0
        var scale: Int64 = 1_000_000_000_000_000_000
        var digitCount = 0
        var isFraction = false
        while index < range.upperBound {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            digitCount += 1
            if isFraction {
                // Further digits are too small to count: the scale is 0 then.
                scale /= 10
                fraction += Int64(digit) * scale
            } else {
                whole = whole * 10 + Int64(digit)
                guard whole < 1 << 32 else { return nil }
            }
        }
        guard digitCount > 0 else { return nil }
        let duration = Duration(secondsComponent: whole, attosecondsComponent: fraction)
        return isNegative ? .zero - duration : duration
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// The first control character that no playlist has, such as a CR that ends no line; nil is the rule, and found fast.
    func firstControlCharacter() -> Int? {
        guard mayHaveControlCharacters else { return nil }
        return bytes.indices.first { index in
            let byte = bytes[index]
            guard byte < 0x20, byte != 0x09, byte != 0x0A else { return false }
            return byte != 0x0D || (index + 1 < bytes.count && bytes[index + 1] != 0x0A)
        }
    }
}
