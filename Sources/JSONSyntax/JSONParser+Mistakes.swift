import Diagnostics

/// Mistakes that show themselves only later in the text, and that are told as what they are rather than by what follows from them.
extension JSONParser {
    /// A quote that is missing at the end of a string makes the next one end it: then what follows makes no sense, and the line has an odd
    /// number of quotes. Tells that, and goes back to where the string most likely ended.
    mutating func reopensString() -> Bool {
        guard let string = nodes.last, string.kind == .string, Int(string.end) == tokenEnd,
            bytes[Int(string.start)] == UInt8(ascii: "\""), hasOddQuotes(from: Int(string.start))
        else { return false }
        let start = Int(string.start)
        let end = likelyEnd(ofStringAt: start, before: tokenEnd - 1)
        guard end < tokenEnd - 1 else { return false }
        reportUnterminated(start, to: end)
        nodes[nodes.count - 1].end = UInt32(end)
        position = end
        return true
    }

    /// Where a string without a closing quote most likely ends: before the brackets and commas that come last.
    func likelyEnd(ofStringAt start: Int, before end: Int) -> Int {
        var likely = end
        while likely > start + 1, Array(" \t\r,:]}".utf8).contains(bytes[likely - 1]) { likely -= 1 }
        return likely > start + 1 ? likely : end
    }

    mutating func reportUnterminated(_ start: Int, to end: Int) {
        report(
            .unterminatedString, "the closing quote of this string is missing", at: start, to: end,
            hint: "write \" where it ends")
    }

    private func hasOddQuotes(from start: Int) -> Bool {
        var count = 0
        var rest = bytes[start...].prefix(4096)
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
            if byte == UInt8(ascii: "\"") { count += 1 }
        }
        return count % 2 == 1
    }

    /// A string in an array, and then a colon: it is a key, and the array should have been closed before it.
    mutating func closesArrayBeforeKey() -> Bool {
        guard let array = open.last, array.kind == .array, open.count > 1, open[open.count - 2].kind == .object,
            let key = nodes.last, key.kind == .string, Int(key.end) == tokenEnd
        else { return false }
        // Before the comma, where there is one.
        reportUnclosed(open.suffix(1), at: lastComma > array.offset ? lastComma : Int(key.start))
        endContainer(array)
        nodes[array.node].subtreeEnd = nodes.count - 1
        return true
    }

    /// A brace in an object of an array, where only a key can be: the next object of that array, and the one before should have been closed.
    mutating func closesObjectBeforeElement() -> Bool {
        guard let object = open.last, object.kind == .object, open.count > 1, open[open.count - 2].kind == .array else {
            return false
        }
        reportUnclosed(open.suffix(1), at: tokenEnd == lastComma + 1 ? lastComma : tokenEnd)
        endContainer(object)
        return true
    }

    /// `"The "Big" Gallery"`: a word that touches the end of a string, and another quote that ends the value in the same line.
    mutating func takesQuotesWithinString() -> Bool {
        guard let string = nodes.last, string.kind == .string, Int(string.end) == position, tokenEnd == position,
            bytes[position - 1] == UInt8(ascii: "\""), position < bytes.count, isWordByte(bytes[position])
        else { return false }
        let line = bytes[position...].prefix(4096).prefix { $0 != UInt8(ascii: "\n") }
        let quotes = line.indices.lazy.filter { line[$0] == UInt8(ascii: "\"") }
        // One before a colon ends a key, and what stands before that is no text.
        guard let end = quotes.first(where: { endsString(line[($0 + 1)...]) }),
            line[(end + 1)...].first(where: { !isBlank($0) }) != UInt8(ascii: ":")
        else { return false }
        report(
            .missingComma, "the text goes on behind the quote that ends it", at: Int(string.start), to: end + 1,
            hint: "a quote within a text is written \\\"")
        nodes[nodes.count - 1].end = UInt32(end + 1)
        position = end + 1
        return true
    }

    /// Whether what comes next in a line can follow a string.
    private func endsString(_ rest: ArraySlice<UInt8>) -> Bool {
        rest.first { !isBlank($0) }.map { Array(",:]}".utf8).contains($0) } ?? true
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// `73,194,614` in an object: a number whose digits are grouped.
    mutating func takesGroupedDigits() -> Bool {
        guard lastComma + 1 == position, lastComma > 0, nodes.last?.kind == .number,
            nodes.last.map({ Int($0.end) }) == lastComma
        else { return false }
        var end = position
        while isDigits(end..<end + 3), !isDigits(end + 3..<end + 4) {
            end += 3
            guard end < bytes.count, bytes[end] == UInt8(ascii: ","), isDigits(end + 1..<end + 2) else { break }
            end += 1
        }
        guard end > position, bytes[end - 1] != UInt8(ascii: ","), let start = nodes.last.map({ Int($0.start) }) else {
            return false
        }
        let digits = String(decoding: bytes[start..<end].filter { $0 != UInt8(ascii: ",") }, as: UTF8.self)
        report(
            .badNumber, "\(quoted(start..<end)): JSON has no commas between digits", at: start, to: end,
            hint: "write \(digits)", fix: [TextEdit(SourceRange(start: start, end: end), digits)])
        position = end
        return true
    }

    private func isDigits(_ range: Range<Int>) -> Bool {
        range.upperBound <= bytes.count && bytes[range].allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }

    /// A string in the quotes that word processors write.
    mutating func takesTypographicQuotes() -> Bool {
        let start = position
        guard let opening = typographicQuote(at: start) else { return false }
        var end = start + opening
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), end - start < 4096 {
            let closing = bytes[end] == UInt8(ascii: "\"") ? 1 : typographicQuote(at: end) ?? 0
            if closing > 0 {
                let content = bytes[(start + opening)..<end]
                let isPlain = !content.contains { $0 == UInt8(ascii: "\\") || $0 < 0x20 }
                position = end + closing
                report(
                    .wrongQuotes, "strings stand in double quotes, not in typographic ones", at: start, to: position,
                    hint: "write \" before and after it",
                    fix: isPlain
                        ? [
                            TextEdit(SourceRange(at: start, length: opening), "\""),
                            TextEdit(SourceRange(at: end, length: closing), "\""),
                        ] : [])
                appendNode(.string, from: start, to: position)
                return true
            }
            end += 1
        }
        return false
    }

    /// The length in bytes of the quote at an offset, one of U+2018 to U+201F.
    private func typographicQuote(at offset: Int) -> Int? {
        guard offset + 3 <= bytes.count, bytes[offset] == 0xE2, bytes[offset + 1] == 0x80,
            (0x98...0x9F).contains(bytes[offset + 2])
        else { return nil }
        return 3
    }
}
