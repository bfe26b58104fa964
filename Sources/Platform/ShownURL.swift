/// A URL, or what was meant to be one, as it may be shown: without a login, and without what only those should know who were given the URL, its
/// query. Where nothing tells what of it is a login, all that may be one is left out.
package func shownURL(_ text: String) -> String {
    var parts = URLParts(text)
    if text.utf8.contains(UInt8(ascii: "@")) { parts.hideLogin() }
    if parts.query != nil { parts.query = "…" }
    parts.fragment = nil
    return escapedText(parts.text)
}

extension URLParts {
    fileprivate mutating func hideLogin() {
        guard let authority else {
            // `user:secret@host` begins as if with a scheme; `images/logo@2x.png` is a relative URL.
            guard let at = path.utf8.lastIndex(of: UInt8(ascii: "@")) else { return }
            let before = path[..<at].utf8
            let isRelative = scheme == nil && before.contains(UInt8(ascii: "/")) && !before.contains(UInt8(ascii: ":"))
            if !isRelative { (scheme, path) = (nil, "…" + Self.withoutLogin(path)) }
            return
        }
        let server = authority.utf8.contains(UInt8(ascii: "@")) ? Self.withoutLogin(authority).dropFirst() : authority
        if let (_, port) = Self.hostAndPort(of: server), port.isEmpty || Self.isPort(port) {
            self.authority = server
        } else {
            // A password may hold what ends an authority, where nobody encoded it.
            self.authority = "…"
            path = Self.withoutLogin(path)
        }
    }

    /// From the last `@` on; nothing where there is none.
    private static func withoutLogin(_ text: Substring) -> Substring {
        text.utf8.lastIndex(of: UInt8(ascii: "@")).map { text[$0...] } ?? ""
    }
}
