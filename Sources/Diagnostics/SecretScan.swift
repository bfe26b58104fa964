/// Looks for secrets in a text by what stands before them, so that they are found as well where the JSON is too broken, or has too many
/// findings, for each to be told.
struct SecretScan {
    private let bytes: [UInt8]
    private let part: Range<Int>

    init(_ bytes: [UInt8], in part: Range<Int>) {
        self.bytes = bytes
        self.part = part
    }

    /// What stands between `//` and `@`.
    func logins() -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start: Int?
        var isBehindSlash = false
        var offset = part.lowerBound
        while offset < part.upperBound {
            let (value, length) = character(at: offset)
            let next = offset + length
            switch value {
            case UInt8(ascii: "/"):
                start = isBehindSlash ? next : nil
            case UInt8(ascii: "@"):
                guard let login = start, login < offset else { break }
                // A password may have another @ in it.
                if found.last?.lowerBound == login { found.removeLast() }
                found.append(login..<offset)
            case UInt8(ascii: "\""), UInt8(ascii: "?"), UInt8(ascii: "#"), 0...0x20:
                start = nil
            default:
                break
            }
            isBehindSlash = value == UInt8(ascii: "/")
            offset = next
        }
        return found
    }

    /// Queries with a parameter that is a signature, up to the end of their string: the rest of them tells whose it is.
    func signedQueries() -> [Range<Int>] {
        var found: [Range<Int>] = []
        var query: Int?
        var offset = part.lowerBound
        while offset < part.upperBound {
            let (value, length) = character(at: offset)
            offset += length
            if value == UInt8(ascii: "\"") { query = nil }
            if value == UInt8(ascii: "?") { query = query ?? offset }
            guard value == UInt8(ascii: "?") || value == UInt8(ascii: "&"),
                let name = name(at: offset, among: SecretNames.parameters), name < part.upperBound,
                character(at: name).value == UInt8(ascii: "=")
            else { continue }
            let end = index(of: "\"", from: offset)
            found.append((query ?? offset)..<end)
            offset = end
        }
        return found
    }

    /// What stands after the name of a header that holds a secret, one or several. Where the name or the value has no quotes, or single ones, the
    /// text is no JSON, and read nevertheless.
    func headerValues() -> [Range<Int>] {
        var found: [Range<Int>] = []
        var offset = part.lowerBound
        while offset < part.upperBound {
            guard Self.isOfName(bytes[offset]) else {
                offset += 1
                continue
            }
            let word = offset
            offset = bytes[word..<part.upperBound].firstIndex { !Self.isOfName($0) } ?? part.upperBound
            guard let name = name(at: word, among: SecretNames.headers), let value = headerValue(word..<name) else {
                continue
            }
            found.append(value)
            offset = max(offset, value.upperBound)
        }
        return found
    }

    private func headerValue(_ name: Range<Int>) -> Range<Int>? {
        let rest = bytes[name.upperBound..<part.upperBound]
        let start = rest.firstIndex { !" \t\r\n\":'[{".utf8.contains($0) } ?? rest.endIndex
        let between = bytes[name.upperBound..<start]
        // One of the quotes around the name may be missing, and both where the value has some: a text may begin with a word like these.
        guard let colon = between.firstIndex(of: UInt8(ascii: ":")), between.contains(where: Self.isQuote) else {
            return nil
        }
        let end: Unicode.Scalar =
            switch between[colon...].first(where: { "\"'[{".utf8.contains($0) }) {
            case UInt8(ascii: "["): "]"
            case UInt8(ascii: "{"): "}"
            case UInt8(ascii: "'"): "'"
            default: "\""
            }
        return start..<index(of: end, from: start)
    }

    /// - Returns: the end of the name that stands here.
    private func name(at start: Int, among names: Set<String>) -> Int? {
        let longest = bytes[start..<min(start + SecretNames.longestBytes, part.upperBound)]
        let name = longest.prefix(while: Self.isOfName)
        return names.contains(String(decoding: name, as: UTF8.self).lowercased()) ? name.endIndex : nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || (byte | 0x20) &- UInt8(ascii: "a") < 26
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// The character that stands here, and how many bytes that takes: JSON may write any with an escape, as some writers do with `/`, `&` and `=`.
    /// Of what isn't ASCII it is the first byte, or the escape's `u`.
    private func character(at offset: Int) -> (value: UInt8, length: Int) {
        let next = offset + 1
        guard bytes[offset] == UInt8(ascii: "\\"), next < part.upperBound else { return (bytes[offset], 1) }
        guard bytes[next] == UInt8(ascii: "u"), next + 4 < part.upperBound,
            let value = UInt8(String(decoding: bytes[next + 1...next + 4], as: UTF8.self), radix: 16)
        else { return (bytes[next], 2) }
        return (value, 6)
    }

    /// The place of a mark that isn't escaped; the end, if there is none.
    private func index(of mark: Unicode.Scalar, from start: Int) -> Int {
        var offset = start
        while offset < part.upperBound, bytes[offset] != UInt8(ascii: mark) {
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(offset, part.upperBound)
    }
}
