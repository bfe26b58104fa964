/// A URL as it may be shown: without a login, and without what only those should know who were given the URL, its query.
package func shownURL(_ text: String) -> String {
    var parts = URLParts(text)
    if let authority = parts.authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
        parts.authority = authority[authority.utf8.index(after: at)...]
    }
    if parts.query != nil { parts.query = "…" }
    parts.fragment = nil
    return escapedText(parts.text)
}
