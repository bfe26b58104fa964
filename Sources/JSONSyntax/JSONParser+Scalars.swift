import Diagnostics

/// Strings, numbers and words.
extension JSONParser {
    // MARK: Strings

    /// Takes a string that begins with `quote` at `position`.
    mutating func parseString(quote: UInt8) {
        let start = position
        var hasEscapes = false
        position += 1
        while true {
            position = endOfPlainText(in: bytes.span.bytes, from: position, until: quote)
            guard position < bytes.count else {
                report(.unterminatedString, "this string is never closed", at: start, to: bytes.count)
                break
            }
            let byte = bytes[position]
            if byte == quote {
                position += 1
                if quote == UInt8(ascii: "'"), isApostrophe(position - 1..<position) { continue }
                break
            }
            switch byte {
            case UInt8(ascii: "\\"):
                hasEscapes = true
                parseEscape()
            case UInt8(ascii: "\n") where !stringGoesOn(quote):
                position = likelyEnd(ofStringAt: start, before: position)
                reportUnterminated(start, to: position)
                appendNode(.string, from: start, to: position, hasEscapes: hasEscapes)
                return
            case 0x00..<0x20:
                reportControlCharacter(byte)
                position += 1
            default:
                skipMultibyteScalar()
            }
            guard errors.count < limits.errors else { break }
        }
        appendNode(.string, from: start, to: position, hasEscapes: hasEscapes)
    }

    /// Whether the line end at `position` is inside a string that is closed further on, rather than the end of one that isn't closed
    /// at all: the next quote then is followed by something that can follow a string.
    private func stringGoesOn(_ quote: UInt8) -> Bool {
        let rest = bytes[position...].prefix(4096)
        guard let closing = rest.firstIndex(of: quote) else { return false }
        let next = rest[(closing + 1)...].first { !$0.isJSONSpace }
        return next.map { Array(",:]}".utf8).contains($0) } ?? true
    }

    private mutating func reportControlCharacter(_ byte: UInt8) {
        guard byte != UInt8(ascii: "\n") else {
            return report(
                .controlCharacter, "a string goes on in the next line", at: position,
                hint: "write it on one line; a line end within a text is written \\n")
        }
        let code = String(byte, radix: 16, uppercase: true)
        let escape = "\\u" + String(repeating: "0", count: 4 - code.count) + code
        report(
            .controlCharacter, "a control character (U+\(escape.dropFirst(2))) stands unescaped in a string",
            at: position,
            hint: "write \(shortEscapes[byte] ?? escape)",
            // It most likely belongs to a line end; and after a backslash another one would make an escape of the first.
            fix: byte == 0x0D || bytes[position - 1] == UInt8(ascii: "\\")
                ? [] : [TextEdit(SourceRange(at: position, length: 1), shortEscapes[byte] ?? escape)])
    }

    /// Takes the escape at `position`.
    private mutating func parseEscape() {
        let start = position
        position += 1
        guard position < bytes.count else { return }
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            parseUnicodeEscape(from: start)
        case let byte:
            // A letter is taken along; a line end or a byte beyond ASCII is looked at by itself.
            if (0x20..<0x7F).contains(byte) { position += 1 }
            let escape = quoted(start..<max(position, start + 1))
            report(
                .badEscape, "\(escape) is no escape of JSON", at: start, to: position,
                hint: "a backslash itself is written \\\\")
        }
    }

    /// Takes `\uXXXX`, whose `u` is at `position`, and the second half of a surrogate pair (RFC 8259, section 7).
    private mutating func parseUnicodeEscape(from start: Int) {
        guard let unit = hexUnit(at: position + 1) else {
            position += 1
            while position < bytes.count, position < start + 6, isHexDigit(bytes[position]) { position += 1 }
            return report(.badEscape, "\\u needs four hexadecimal digits", at: start, to: position)
        }
        position += 5
        if UTF16.isLeadSurrogate(unit), hasBytes("\\u", at: position), let second = hexUnit(at: position + 2),
            UTF16.isTrailSurrogate(second)
        {
            position += 6
        } else if UTF16.isSurrogate(unit) {
            report(
                .loneSurrogate, "\(quoted(start..<position)) is half of a surrogate pair and its other half is missing",
                at: start, to: position)
        }
    }

    private func hexUnit(at offset: Int) -> UInt16? {
        guard offset + 4 <= bytes.count, bytes[offset..<offset + 4].allSatisfy(isHexDigit) else { return nil }
        return UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
    }

    private func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// Takes one well-formed sequence beyond ASCII (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF), or reports it.
    mutating func skipMultibyteScalar() {
        let lead = bytes[position]
        let second: ClosedRange<UInt8>
        let length: Int
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: (length, second) = (1, 0x80...0xBF)
        }
        let sequence = bytes[position...].prefix(length)
        let continuation = sequence.dropFirst()
        if length > 1, sequence.count == length, second.contains(continuation[position + 1]),
            continuation.allSatisfy({ (0x80...0xBF).contains($0) })
        {
            position += length
            return
        }
        let start = position
        position += 1
        while position < bytes.count, (0x80...0xBF).contains(bytes[position]) { position += 1 }
        report(.notUTF8, "these bytes are not UTF-8", at: start, to: position, hint: "save the text as UTF-8")
    }

    // MARK: Numbers and words

    /// Takes a number: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    mutating func parseNumber() {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        let integerStart = position
        let integerDigits = skipDigits()
        var problem: String?
        if integerDigits == 0 {
            problem = "a digit is missing after the minus sign"
        } else if integerDigits > 1, bytes[integerStart] == UInt8(ascii: "0") {
            problem = "a number may not begin with extra zeros"
        }
        if skipIf(UInt8(ascii: ".")), skipDigits() == 0 {
            problem = problem ?? "a digit is missing after the decimal point"
        }
        if skipIf(UInt8(ascii: "e")) || skipIf(UInt8(ascii: "E")) {
            if !skipIf(UInt8(ascii: "+")) { _ = skipIf(UInt8(ascii: "-")) }
            if skipDigits() == 0 { problem = problem ?? "a digit is missing in the exponent" }
        }
        if position < bytes.count, isWordByte(bytes[position]) {
            skipWord()
            problem = problem ?? "this is no number"
        }
        if let problem { reportBadNumber(problem, from: start) }
        appendNode(.number, from: start, to: position)
    }

    mutating func reportBadNumber(_ problem: String, from start: Int) {
        report(
            .badNumber, "\(quoted(start..<position)): \(problem)", at: start, to: position,
            hint: "JSON's numbers look like 0, -12, 3.5 or 1e9")
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position - start
    }

    private mutating func skipIf(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Takes `true`, `false`, `null`, or reports another word.
    mutating func parseWord() {
        let start = position
        let isOutermost = nodes.isEmpty
        skipWord()
        if hasBytes("true", at: start), position == start + 4 {
            appendNode(.boolean, from: start, to: position)
        } else if hasBytes("false", at: start), position == start + 5 {
            appendNode(.boolean, from: start, to: position)
        } else if hasBytes("null", at: start), position == start + 4 {
            appendNode(.null, from: start, to: position)
        } else if isOutermost || !takesStringWithoutOpening(from: start, asKey: false) {
            let word = String(decoding: bytes[start..<position].prefix(64), as: UTF8.self)
            let lowercased = word.lowercased()
            let isMeant = ["true", "false", "null"].contains(lowercased)
            report(
                .unknownWord, "\(quoted(start..<position)) is no JSON value", at: start, to: position,
                hint: nearestMatch(to: word, among: ["true", "false", "null"]).map { "did you mean \($0)?" }
                    ?? (isOutermost ? Self.otherFormatHint : "a string stands in double quotes"),
                fix: isMeant && beginsAlone(start)
                    ? [TextEdit(SourceRange(start: start, end: position), lowercased)] : [])
            appendNode(.null, from: start, to: position)
            // Of a text in another format the rest says nothing.
            if isOutermost, !isMeant { position = bytes.count }
        }
    }

    /// For a text that begins as none in JSON does that holds more than one value.
    static let otherFormatHint = "this looks like another format: JSON begins with {, and keys stand in double quotes"

    mutating func skipWord() {
        while position < bytes.count, isWordByte(bytes[position]) { position += 1 }
    }

    /// What belongs to a word or a number gone wrong.
    func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    func hasBytes(_ text: StaticString, at offset: Int) -> Bool {
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return offset <= bytes.count && bytes[offset...].starts(with: expected)
    }

    func quoted(_ range: Range<Int>) -> String {
        // Cut before decoding: what is quoted may be as long as the text.
        let part = bytes[range].prefix(200)
        // A word without quotes may be a header's secret.
        let secrets = SecretRanges(SourceText(name: "", bytes: bytes), []).ranges(in: part.indices)
        guard secrets.isEmpty else { return "\"***\"" }
        return String(decoding: part, as: UTF8.self).quotedForMessage(maximumScalars: 40)
    }
}

/// Where the next byte is that needs a look: the quote, a backslash, a control character or a byte beyond ASCII.
///
/// Eight bytes at a time: a byte's high bit in `stops` is set if it is 0x80 or more, borrows from 0x20, or is equal to what it is XORed
/// with. A borrow may set bits of higher bytes too, so only the lowest one counts.
private func endOfPlainText(in text: RawSpan, from start: Int, until quote: UInt8) -> Int {
    let everyByte: UInt64 = 0x0101_0101_0101_0101
    let quotes = everyByte &* UInt64(quote)
    let backslashes = everyByte &* UInt64(UInt8(ascii: "\\"))
    var offset = start
    while offset + 8 <= text.byteCount {
        let word = UInt64(littleEndian: text.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let quoted = (word ^ quotes) &- everyByte
        let escaped = (word ^ backslashes) &- everyByte
        let stops = (word | (word &- everyByte &* 0x20) | quoted | escaped) & (everyByte &* 0x80)
        if stops != 0 { return offset + stops.trailingZeroBitCount / 8 }
        offset += 8
    }
    while offset < text.byteCount {
        let byte = text.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
        guard (0x20..<0x80).contains(byte), byte != quote, byte != UInt8(ascii: "\\") else { break }
        offset += 1
    }
    return offset
}

private let shortEscapes: [UInt8: String] = [0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r"]
