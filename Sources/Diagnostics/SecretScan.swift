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
        for offset in part {
            switch bytes[offset] {
            case UInt8(ascii: "/"):
                start = offset > 0 && bytes[offset - 1] == UInt8(ascii: "/") ? offset + 1 : nil
            case UInt8(ascii: "@"):
                guard let login = start, login < offset else { continue }
                // A password may have another @ in it.
                if found.last?.lowerBound == login { found.removeLast() }
                found.append(login..<offset)
            case UInt8(ascii: "\""), UInt8(ascii: "?"), UInt8(ascii: "#"), 0...0x20:
                start = nil
            default:
                continue
            }
        }
        return found
    }

    /// Queries with a parameter that is a signature, up to the end of their string: the rest of them tells whose it is.
    func signedQueries() -> [Range<Int>] {
        var found: [Range<Int>] = []
        var query: Int?
        var offset = part.lowerBound
        while offset < part.upperBound {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") { query = nil }
            if byte == UInt8(ascii: "?") { query = query ?? offset }
            guard byte == UInt8(ascii: "?") || endsAmpersand(byte, offset),
                let name = name(at: offset, among: SecretNames.parameters), name < part.upperBound,
                bytes[name] == UInt8(ascii: "=")
            else { continue }
            let end = index(of: "\"", from: offset)
            found.append((query ?? offset)..<end)
            offset = end
        }
        return found
    }

    /// What stands after the name of a header that holds a secret, in quotes or not, one or several.
    func headerValues() -> [Range<Int>] {
        var found: [Range<Int>] = []
        var offset = part.lowerBound
        while let quote = bytes[offset..<part.upperBound].firstIndex(of: UInt8(ascii: "\"")) {
            offset = quote + 1
            guard let name = name(at: offset, among: SecretNames.headers) else { continue }
            let rest = bytes[name..<part.upperBound]
            let start = rest.firstIndex { !" \t\r\n\":'[{".utf8.contains($0) } ?? rest.endIndex
            let between = bytes[name..<start]
            // One of the quotes around the name may be missing, not both: a text may begin with a word like these.
            guard between.contains(UInt8(ascii: ":")), between.contains(UInt8(ascii: "\"")) else { continue }
            let bracket = between.first { "[{".utf8.contains($0) }
            let end = index(of: bracket == nil ? "\"" : bracket == UInt8(ascii: "[") ? "]" : "}", from: start)
            found.append(start..<end)
            offset = end
        }
        return found
    }

    /// - Returns: the end of the name that stands here.
    private func name(at start: Int, among names: Set<String>) -> Int? {
        let longest = bytes[start..<min(start + SecretNames.longestBytes, part.upperBound)]
        let name = longest.prefix { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || Self.isLetter($0) }
        return names.contains(String(decoding: name, as: UTF8.self).lowercased()) ? name.endIndex : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Some writers of JSON escape the ampersand.
    private func endsAmpersand(_ byte: UInt8, _ offset: Int) -> Bool {
        byte == UInt8(ascii: "&")
            || byte == UInt8(ascii: "6") && bytes[..<offset].suffix(6).elementsEqual("\\u0026".utf8)
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
