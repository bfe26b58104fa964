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
        while likely > start + 1, Array(" \t\r,:[]{}".utf8).contains(bytes[likely - 1]) { likely -= 1 }
        return likely > start + 1 ? likely : end
    }

    mutating func reportUnterminated(_ start: Int, to end: Int) {
        report(
            .unterminatedString, "the closing quote of this string is missing", at: start, to: end,
            hint: "write \" where it ends")
    }

    /// `name"`: a string whose opening quote is missing. It ends at the quote that is next in the line, with nothing before that which separates
    /// values.
    mutating func takesStringWithoutOpening(from start: Int, asKey isKey: Bool) -> Bool {
        let text = bytes[start...].prefix(4096).prefix { !Array("\n,{[".utf8).contains($0) }
        guard let quote = text.firstIndex(of: UInt8(ascii: "\"")) else { return false }
        let end = quote + 1
        guard endsString(at: end), isKey == (nextInLine(from: end) == UInt8(ascii: ":")) else { return false }
        report(
            .unterminatedString, "the opening quote of this string is missing", at: start, to: end,
            hint: "write \" where it begins")
        appendNode(.string, from: start, to: end)
        position = end
        return true
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
        guard let end = quotes.first(where: { endsString(at: $0 + 1) }), nextInLine(from: end + 1) != UInt8(ascii: ":")
        else { return false }
        report(
            .missingComma, "the text goes on behind the quote that ends it", at: Int(string.start), to: end + 1,
            hint: "a quote within a text is written \\\"")
        nodes[nodes.count - 1].end = UInt32(end + 1)
        position = end + 1
        return true
    }

    /// `"na"me":`, `""name":`: a word that touches the end of a key, and another quote that ends the key.
    mutating func takesQuotesWithinKey() -> Bool {
        guard let key = nodes.last, key.kind == .string, Int(key.end) == position, position < bytes.count,
            bytes[position - 1] == UInt8(ascii: "\""), isWordByte(bytes[position])
        else { return false }
        let text = bytes[position...].prefix(1024).prefix { !Array("\n,:{[".utf8).contains($0) }
        let quotes = text.indices.lazy.filter { text[$0] == UInt8(ascii: "\"") }
        guard let quote = quotes.first(where: { nextByte(from: $0 + 1) == UInt8(ascii: ":") }) else { return false }
        report(
            .missingColon, "the key goes on behind the quote that ends it", at: Int(key.start), to: quote + 1,
            hint: "take that quote out, or write it as \\\"")
        nodes[nodes.count - 1].end = UInt32(quote + 1)
        position = quote + 1
        return true
    }

    /// Whether what comes next in the line can follow a string that ends at an offset.
    private func endsString(at offset: Int) -> Bool {
        nextInLine(from: offset).map { Array(",:]}".utf8).contains($0) } ?? true
    }

    /// The first byte from an offset on that is no blank; nil where the line ends before it.
    private func nextInLine(from offset: Int) -> UInt8? {
        let next = bytes[offset...].prefix(4096).first { $0 == UInt8(ascii: "\n") || !$0.isJSONSpace }
        return next == UInt8(ascii: "\n") ? nil : next
    }

    /// Whether a quote stands between letters: `it's`.
    func isApostrophe(_ quote: Range<Int>) -> Bool {
        quote.lowerBound > 0 && quote.upperBound < bytes.count && isLetter(bytes[quote.lowerBound - 1])
            && isLetter(bytes[quote.upperBound])
    }

    /// Whether it is one, or a part of one beyond ASCII.
    private func isLetter(_ byte: UInt8) -> Bool { byte >= 0x80 || (byte | 0x20) &- UInt8(ascii: "a") < 26 }

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
        // A number before a colon would be a key.
        guard end > position, bytes[end - 1] != UInt8(ascii: ","), nextByte(from: end) != UInt8(ascii: ":"),
            let start = nodes.last.map({ Int($0.start) })
        else { return false }
        let groups = bytes[start..<end].split(separator: UInt8(ascii: ","))
        let digits = String(decoding: groups.joined(), as: UTF8.self)
        let isGrouped = isDigits(start..<lastComma) && lastComma - start <= 3 && bytes[start] != UInt8(ascii: "0")
        // `6,006` may be six and a bit.
        let isCertain = isGrouped && groups.count > 2
        report(
            .badNumber, "\(quoted(start..<end)): JSON has no commas between digits", at: start, to: end,
            hint: isGrouped
                ? "write \(digits)" + (isCertain ? "" : ", or a decimal point in place of the comma")
                : "digits stand together, and a fraction follows a decimal point",
            fix: isCertain ? [TextEdit(SourceRange(start: start, end: end), digits)] : [])
        nodes[nodes.count - 1].end = UInt32(end)
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
        let content = start + typographicQuoteBytes
        let line = (content..<min(content + 4096, bytes.count)).prefix { bytes[$0] != UInt8(ascii: "\n") }
        for end in line {
            guard let closing = closingQuote(at: end, of: opening) else { continue }
            position = end + closing
            report(
                .wrongQuotes, "strings stand in double quotes, not in typographic ones", at: start, to: position,
                hint: "write \" before and after it", fix: quotesChanged(start..<content, end..<position))
            appendNode(.string, from: start, to: position)
            return true
        }
        return false
    }

    /// A string's quotes as double ones; nothing where quotes and escapes in it would have to change as well, or what touches it may belong to it.
    func quotesChanged(_ opening: Range<Int>, _ closing: Range<Int>) -> [TextEdit] {
        let content = bytes[opening.upperBound..<closing.lowerBound]
        guard beginsAlone(opening.lowerBound), endsString(at: closing.upperBound),
            !content.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20 })
        else { return [] }
        return [opening, closing].map { TextEdit(SourceRange(start: $0.lowerBound, end: $0.upperBound), "\"") }
    }

    /// A quote of U+2018 to U+201F: of which kind, not whether it opens or closes, which languages disagree about.
    private enum TypographicQuote {
        case single, double
    }

    private func typographicQuote(at offset: Int) -> TypographicQuote? {
        guard offset + typographicQuoteBytes <= bytes.count, bytes[offset] == 0xE2, bytes[offset + 1] == 0x80 else {
            return nil
        }
        switch bytes[offset + 2] {
        case 0x98...0x9B: return .single
        case 0x9C...0x9F: return .double
        default: return nil
        }
    }

    /// The length in bytes of the quote at an offset that ends a string in typographic ones; nil where there is none, or an apostrophe.
    private func closingQuote(at offset: Int, of opening: TypographicQuote) -> Int? {
        if bytes[offset] == UInt8(ascii: "\""), endsString(at: offset + 1) { return 1 }
        guard let quote = typographicQuote(at: offset), quote == opening else { return nil }
        return quote == .single && isApostrophe(offset..<offset + typographicQuoteBytes) ? nil : typographicQuoteBytes
    }
}

private let typographicQuoteBytes = 3
