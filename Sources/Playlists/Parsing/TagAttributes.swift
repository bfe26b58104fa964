import Diagnostics

/// The attributes of a tag with their places, and how values of each type are read from them.
struct TagAttributes {
    struct Entry {
        let attribute: AttributeList.Attribute
        let range: Range<Int>
    }

    let entries: [Entry]
    /// Of the whole list.
    let range: Range<Int>

    var list: AttributeList { AttributeList(entries.map(\.attribute)) }

    func value(_ name: String) -> String? { entry(name)?.attribute.value }

    func entry(_ name: String) -> Entry? { entries.first { $0.attribute.name == name } }

    /// Nil, and told, when it is missing or empty.
    func required(_ name: String, of tag: PlaylistTag, _ reader: inout PlaylistReader) -> String? {
        if let value = value(name), !value.isEmpty { return value }
        reader.report(.missingAttribute, "#\(tag.rawValue) has no \(name)", at: range)
        return nil
    }

    /// An enumerated YES or NO; false where there is none.
    func flag(_ name: String, _ reader: inout PlaylistReader) -> Bool {
        guard let entry = entry(name) else { return false }
        let value = entry.attribute.value.uppercased()
        guard ["YES", "NO"].contains(value) else {
            reader.report(.looseValue, "\(name) is neither YES nor NO: it counts as NO", at: entry.range)
            return false
        }
        if entry.attribute.isQuoted || entry.attribute.value != value {
            reader.report(.looseAttribute, "\(name) is written \(value), without quotes", at: entry.range)
        }
        return value == "YES"
    }

    /// A decimal-integer; a number that is none, but begins with one, counts as that, and is told.
    func number(_ name: String, _ reader: inout PlaylistReader) -> UInt64? {
        guard let entry = entry(name) else { return nil }
        if let number = reader.text.decimal(entry.range) { return number }
        let digits = entry.attribute.value.prefix { $0 != "." }
        reader.report(.looseValue, "\(name) is not a whole number", at: entry.range)
        return digits.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } ? UInt64(digits) : nil
    }

    /// `LENGTH@OFFSET` of `EXT-X-MAP`.
    /// - Returns: nil where there is none; `.failure` when it is told that it can't be used.
    func byteRange(_ reader: inout PlaylistReader) -> Result<ByteRange?, ToldProblem> {
        guard let entry = entry("BYTERANGE") else { return .success(nil) }
        let parts = entry.attribute.value.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let length = Self.decimal(parts[0]), let offset = Self.decimal(parts[1]),
            let range = ByteRange(offset: offset, lengthBytes: length)
        else {
            reader.report(
                .badValue, "\(entry.attribute.value.quotedForMessage()) is no byte range", at: entry.range,
                hint: "write LENGTH@OFFSET")
            return .failure(ToldProblem())
        }
        return .success(range)
    }

    private static func decimal(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return Int64(text)
    }
}

/// Something went wrong, and a finding says what.
struct ToldProblem: Error {}
