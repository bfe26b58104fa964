import Platform

extension Receipt.Source {
    private static let mark = "~"
    private static let digits = 32

    /// What receipts call a URL. They are for everybody to read, and a query may hold a signature or a token: a digest stands in its place, which
    /// tells one from the other as well. So it is with a query in the fragment, where the URL of a key may stand. A name is its own name.
    package static func name(ofURL url: String) -> String {
        guard url.utf8.contains(UInt8(ascii: "?")) else { return url }
        return url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(hidingQuery)
            .joined(separator: "#")
    }

    /// Whether a name tells less than the URL that it stands for, so that nobody can be asked by it.
    package static func hidesQuery(_ name: String) -> Bool {
        name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).contains { part in
            part.firstIndex(of: "?").map { isHidden(part[part.index(after: $0)...]) } ?? false
        }
    }

    private static func hidingQuery(_ text: Substring) -> String {
        guard let start = text.firstIndex(of: "?") else { return String(text) }
        let query = text[text.index(after: start)...]
        if query.isEmpty || isHidden(query) { return String(text) }
        return String(text[...start]) + mark + SHA256.digest(of: query.utf8).prefix(digits: digits)
    }

    private static func isHidden(_ query: Substring) -> Bool {
        query.hasPrefix(mark) && query.utf8.count == mark.utf8.count + digits
            && query.dropFirst(mark.count).utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
