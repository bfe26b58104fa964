import Diagnostics

/// What is said about text that isn't JSON, and where parsing goes on.
extension JSONParser {
    /// Refuses what isn't UTF-8 from its first bytes on; a byte order mark is told and skipped.
    mutating func checkEncoding() -> Bool {
        if hasBytes("\u{FEFF}", at: 0) {
            position = 3
            report(
                .byteOrderMark, "the text begins with a byte order mark", at: 0, to: 3,
                hint: "save it as UTF-8 without BOM", fix: [TextEdit(SourceRange(start: 0, end: 3), "")])
        }
        let isMarked = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        // ASCII in UTF-16 has a zero in every second byte.
        let low = bytes.prefix(4).enumerated().filter { $0.offset % 2 == 1 }
        if isMarked || bytes.first == 0 || (!low.isEmpty && low.allSatisfy { $0.element == 0 }) {
            report(
                .notUTF8, "the text looks like UTF-16, and JSON is UTF-8", at: 0, to: min(2, bytes.count),
                hint: "save it as UTF-8")
            return false
        }
        return true
    }

    // MARK: Where a value should be

    mutating func recoverFromBadValue(_ byte: UInt8, expecting expectation: Expectation) -> Expectation {
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return recoverFromClosingBracket(byte, expecting: expectation)
        case UInt8(ascii: ","):
            report(.missingValue, "a value is missing before the comma", at: position)
            lastComma = position
            position += 1
            return open.isEmpty ? .value : afterComma
        case UInt8(ascii: "'"):
            parseWrongQuotes()
            return afterValue
        case UInt8(ascii: "+"), UInt8(ascii: "."):
            let start = position
            skipWord()
            let problem =
                byte == UInt8(ascii: "+") ? "a number has no plus sign" : "a digit is missing before the decimal point"
            reportBadNumber(problem, from: start)
            appendNode(.number, from: start, to: position)
            return afterValue
        case _ where isWordByte(byte):
            parseWord()
            return afterValue
        case _ where takesTypographicQuotes():
            return afterValue
        case UInt8(ascii: "<") where nodes.isEmpty:
            reportUnexpected("where JSON should begin", hint: "this looks like HTML or XML")
            return giveUp()
        default:
            reportUnexpected("where a value should be")
            // The run stood for the value, unless one follows it directly.
            return position < bytes.count && beginsValue(bytes[position]) ? expectation : afterValue
        }
    }

    /// A closing bracket where a value or a key should be: after a comma, or after a colon.
    private mutating func recoverFromClosingBracket(_ byte: UInt8, expecting expectation: Expectation) -> Expectation {
        switch expectation {
        // What was only taken for a comma has been told already.
        case .nextElement where bytes[lastComma] != UInt8(ascii: ","),
            .nextKey where bytes[lastComma] != UInt8(ascii: ","):
            break
        case .nextElement, .nextKey:
            report(
                .trailingComma, "a comma after the last element", at: lastComma, hint: "remove the comma",
                fix: [TextEdit(SourceRange(at: lastComma, length: 1), "")])
        case .value where !open.isEmpty:
            report(.missingValue, "a value is missing after the key", at: position)
        default:
            break
        }
        return closeContainer(byte)
    }

    // MARK: Where a key should be

    mutating func recoverFromBadKey(_ byte: UInt8, expecting expectation: Expectation) -> Expectation {
        let start = position
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return recoverFromClosingBracket(byte, expecting: expectation)
        case UInt8(ascii: ","):
            report(.missingKey, "a member is missing before the comma", at: position)
            lastComma = position
            position += 1
            return .nextKey
        case UInt8(ascii: ":"):
            report(.missingKey, "a key is missing before the colon", at: position)
            return .colon
        case UInt8(ascii: "'"):
            parseWrongQuotes()
            return .colon
        case _ where takesTypographicQuotes():
            return .colon
        case _ where takesGroupedDigits():
            return .separator
        case _ where isWordByte(byte):
            guard !takesStringWithoutOpening(from: start, asKey: true) else { return .colon }
            skipWord()
            let word = quoted(start..<position)
            report(
                .unquotedKey, "the key \(word) stands without quotes", at: start, to: position,
                hint: "write it in double quotes",
                fix: isKey(start..<position)
                    ? [TextEdit(SourceRange(at: start), "\""), TextEdit(SourceRange(at: position), "\"")] : [])
            return .colon
        case UInt8(ascii: "{") where expectation == .nextKey && closesObjectBeforeElement():
            return .nextElement
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            // The colon is missing along with the key: go on as if both had been there.
            report(.missingKey, "a key is missing before this value", at: position)
            return .value
        default:
            reportUnexpected("where a key should be")
            return expectation
        }
    }

    mutating func recoverFromMissingColon(_ byte: UInt8) -> Expectation {
        guard !reopensString(), !takesQuotesWithinKey() else { return .colon }
        switch byte {
        case UInt8(ascii: "="):
            let end = position + (hasBytes("=>", at: position) ? 2 : 1)
            report(
                .missingColon, "a colon should stand between key and value", at: position, to: end,
                fix: nextByte(from: end).map(beginsValue) == true
                    ? [TextEdit(SourceRange(start: position, end: end), ":")] : [])
            position = end
            return .value
        case UInt8(ascii: ","):
            report(.missingColon, "a key needs a colon and a value", at: position)
            lastComma = position
            position += 1
            return afterComma
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            report(.missingColon, "a key needs a colon and a value", at: position)
            return closeContainer(byte)
        case _ where beginsValue(byte):
            report(
                .missingColon, "a colon should stand between key and value", at: position,
                fix: isColonMeant(before: byte) ? [TextEdit(SourceRange(at: tokenEnd), ":")] : [])
            return .value
        default:
            reportUnexpected("where a colon should be")
            return .colon
        }
    }

    /// Whether nothing else can be meant where a value follows a key without a colon: neither a quote that is missing or one too many, nor
    /// another key.
    private func isColonMeant(before byte: UInt8) -> Bool {
        guard bytes[tokenEnd - 1] == UInt8(ascii: "\"") else { return false }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return true
        case UInt8(ascii: "\""): return position > tokenEnd && !isKey(at: position)
        default:
            let word = bytes[position...].prefix(64).prefix(while: isWordByte)
            let text = String(decoding: word, as: UTF8.self)
            return position > tokenEnd && nextByte(from: word.endIndex) != UInt8(ascii: ":")
                && (["true", "false", "null"].contains(text) || JSONValue.isNumber(text))
        }
    }

    // MARK: After a value

    mutating func recoverFromMissingSeparator(_ byte: UInt8) -> Expectation {
        guard !reopensString() else { return .separator }
        if byte == UInt8(ascii: ":"), closesArrayBeforeKey() { return .colon }
        if byte == UInt8(ascii: "{"), closesObjectBeforeElement() { return .separator }
        guard !takesQuotesWithinString() else { return .separator }
        if byte == UInt8(ascii: ":") || byte == UInt8(ascii: ";") {
            report(
                .missingComma,
                byte == UInt8(ascii: ":") ? "a colon where a comma should be" : "JSON separates with commas",
                at: position)
            lastComma = position
            position += 1
            return afterComma
        }
        guard beginsValue(byte) else {
            reportUnexpected("after a value")
            return .separator
        }
        report(
            .missingComma, "a comma is missing before this", at: position,
            fix: isCommaMeant(before: byte) ? [TextEdit(SourceRange(at: tokenEnd), ",")] : [])
        lastComma = position
        return afterComma
    }

    /// Whether nothing else can be meant where the next value follows the one before without a comma: neither a quote within a string, nor
    /// a bracket that is missing as well.
    private func isCommaMeant(before byte: UInt8) -> Bool {
        switch open.last?.kind {
        case .object:
            return byte == UInt8(ascii: "\"") && isKey(at: position)
                && (position > tokenEnd || Array("]}".utf8).contains(bytes[tokenEnd - 1]))
        case .array:
            let isContainer = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
            if isContainer {
                return bytes[tokenEnd - 1] == UInt8(ascii: "}") || bytes[tokenEnd - 1] == UInt8(ascii: "]")
            }
            // Side by side they may be one string with a quote in it.
            return byte == UInt8(ascii: "\"") && bytes[tokenEnd - 1] == byte && position > tokenEnd
                && !isKey(at: position)
        default:
            return false
        }
    }

    /// Whether a word is followed by a colon, and is all that stands before it.
    private func isKey(_ word: Range<Int>) -> Bool {
        nextByte(from: word.upperBound) == UInt8(ascii: ":") && beginsAlone(word.lowerBound)
    }

    /// Whether nothing touches the word or string that begins at an offset: a quote or a letter beyond ASCII may belong to it.
    func beginsAlone(_ offset: Int) -> Bool {
        guard offset > 0 else { return true }
        return bytes[offset - 1].isJSONSpace || Array("{[,:".utf8).contains(bytes[offset - 1])
    }

    /// Whether the string at an offset is followed by a colon. Looks no further than a key is long.
    private func isKey(at offset: Int) -> Bool {
        var rest = bytes[offset...].dropFirst().prefix(1024)
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        return rest.first { !$0.isJSONSpace } == UInt8(ascii: ":")
    }

    /// A closing bracket of the other kind than the innermost open one: that one was left open, or this one is one too many.
    mutating func recoverFromMismatchedBracket(_ kind: JSONKind) -> Expectation {
        guard let match = open.lastIndex(where: { $0.kind == kind }) else {
            report(.mismatchedBracket, "this closing bracket has no opening one", at: position)
            position += 1
            return open.isEmpty ? .value : .separator
        }
        reportUnclosed(open[(match + 1)...], at: position)
        while open.count > match + 1, let container = open.last { endContainer(container) }
        return .separator
    }

    /// - Parameter containers: those that should have been closed before `position`, outermost first.
    mutating func reportUnclosed(_ containers: ArraySlice<OpenContainer>, at position: Int) {
        let notes = containers.reversed().prefix(8).map { container in
            Diagnostic.Note(
                "\(container.kind.described) is opened here", at: SourceRange(at: container.offset, length: 1))
        }
        guard let innermost = containers.last else {
            return report(.missingValue, "the text ends where a value should be", at: position)
        }
        let bracket = innermost.kind == .object ? "}" : "]"
        let count = containers.count == 1 ? "" : " (\(containers.count) levels are open)"
        report(
            .unclosedBracket, "a closing \"\(bracket)\" is missing before this place\(count)", at: position,
            notes: notes)
    }

    // MARK: Anywhere

    /// Takes a comment at `position`; false when there is none.
    mutating func skipComment() -> Bool {
        let start = position
        if hasBytes("/*", at: position) {
            position += 2
            while position < bytes.count, !hasBytes("*/", at: position) { position += 1 }
            position = min(position + 2, bytes.count)
        } else if hasBytes("//", at: position) || hasBytes("#", at: position) {
            while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        } else {
            return false
        }
        report(
            .comment, "JSON has no comments", at: start, to: position,
            hint: "in a manifest, a key that starts with x- can hold a remark")
        return true
    }

    private mutating func parseWrongQuotes() {
        let start = position
        parseString(quote: UInt8(ascii: "'"))
        // One that is never closed has no end to change.
        let isClosed = position > start + 1 && bytes[position - 1] == UInt8(ascii: "'")
        report(
            .wrongQuotes, "strings stand in double quotes, not in single ones", at: start, to: position,
            fix: isClosed ? quotesChanged(start..<start + 1, position - 1..<position) : [])
    }

    /// Takes a run of bytes that mean nothing here.
    private mutating func reportUnexpected(_ place: String, hint: String? = nil) {
        let start = position
        while position < bytes.count, !endsUnexpectedRun(bytes[position]) {
            if bytes[position] < 0x80 { position += 1 } else { skipMultibyteScalar() }
            guard errors.count < limits.errors else { return }
        }
        // A byte that would end a run may begin one.
        if position == start { position += 1 }
        report(
            .unexpectedCharacter, "unexpected \(quoted(start..<position)) \(place)", at: start, to: position, hint: hint
        )
    }

    private func endsUnexpectedRun(_ byte: UInt8) -> Bool {
        byte <= 0x20 || beginsValue(byte) || Array(",:]}/#=".utf8).contains(byte)
    }

    private func beginsValue(_ byte: UInt8) -> Bool {
        Array("\"'[{".utf8).contains(byte) || isWordByte(byte)
    }
}
