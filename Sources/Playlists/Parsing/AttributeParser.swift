import Diagnostics

/// Takes an attribute list apart (RFC 8216 §4.2). Blanks are forgiven.
struct AttributeParser {
    struct Parsed {
        let name: String
        /// Without quotes.
        let value: Range<Int>
        let isQuoted: Bool
    }

    private let text: PlaylistBytes
    private let range: Range<Int>
    private var position: Int
    private(set) var hasFailed = false

    init(text: PlaylistBytes, range: Range<Int>) {
        self.text = text
        self.range = range
        position = range.lowerBound
    }

    /// Nil at the end, and after a mistake that nothing can be made of.
    mutating func next(_ reader: inout PlaylistReader) -> Parsed? {
        guard position < range.upperBound else { return nil }
        let start = position
        guard let equals = text.first(UInt8(ascii: "="), in: position..<range.upperBound) else {
            return endWithoutValue(&reader)
        }
        let name = text.trimmed(start..<equals)
        guard !name.isEmpty, name.allSatisfy({ Self.isNameByte(text.bytes[$0]) }) else {
            return fail("an attribute has no name", at: start..<equals, &reader)
        }
        let rest = text.trimmed(equals + 1..<range.upperBound)
        let isQuoted = !rest.isEmpty && text.bytes[rest.lowerBound] == UInt8(ascii: "\"")
        let value: Range<Int>
        let end: Int
        if isQuoted {
            guard let quote = text.first(UInt8(ascii: "\""), in: rest.lowerBound + 1..<rest.upperBound) else {
                return fail("a quotation mark is never closed", at: rest, &reader)
            }
            value = rest.lowerBound + 1..<quote
            end = text.first(UInt8(ascii: ","), in: quote + 1..<range.upperBound) ?? range.upperBound
            guard text.trimmed(quote + 1..<end).isEmpty else {
                return fail("a comma is missing between two attributes", at: quote + 1..<end, &reader)
            }
        } else {
            end = text.first(UInt8(ascii: ","), in: equals + 1..<range.upperBound) ?? range.upperBound
            value = text.trimmed(equals + 1..<end)
            guard text.first(UInt8(ascii: "\""), in: value) == nil else {
                return fail("a quotation mark stands within a value", at: value, &reader)
            }
        }
        let written = (isQuoted ? value.lowerBound - 1..<value.upperBound + 1 : value)
        if name != start..<equals || written != equals + 1..<end {
            reader.report(.looseAttribute, "there are blanks around the attribute", at: start..<end)
        }
        if end + 1 == range.upperBound {
            reader.report(.looseAttribute, "the attribute list ends with a comma", at: end..<end + 1)
        }
        position = min(end + 1, range.upperBound)
        return Parsed(name: text.text(name), value: value, isQuoted: isQuoted)
    }

    private mutating func endWithoutValue(_ reader: inout PlaylistReader) -> Parsed? {
        let rest = text.trimmed(position..<range.upperBound)
        guard rest.isEmpty else { return fail("an attribute has no value", at: rest, &reader) }
        reader.report(.looseAttribute, "the attribute list ends with blanks", at: position..<range.upperBound)
        position = range.upperBound
        return nil
    }

    private mutating func fail(_ message: String, at place: Range<Int>, _ reader: inout PlaylistReader) -> Parsed? {
        hasFailed = true
        reader.report(.badAttributes, message, at: place)
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
