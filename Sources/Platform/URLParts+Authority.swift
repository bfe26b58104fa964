extension URLParts {
    /// Host and port of an authority without user name and password (RFC 3986, section 3.2); nil when it is malformed.
    ///
    /// The port stands without its colon, and may be empty. An IP literal keeps its brackets.
    package static func hostAndPort(of authority: Substring) -> (host: Substring, port: Substring)? {
        let host = host(of: authority)
        let rest = authority[host.endIndex...]
        let isLiteral = host.utf8.starts(with: "[".utf8)
        let isWhole = isLiteral ? host.utf8.last == UInt8(ascii: "]") : !host.utf8.contains(where: "[]".utf8.contains)
        guard isWhole, rest.isEmpty || rest.utf8.starts(with: ":".utf8) else { return nil }
        return (host, rest.dropFirst())
    }

    /// Whether it is a number from 1 to 65535.
    package static func isPort(_ text: Substring) -> Bool {
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return false }
        return Int(text).map { (1...65_535).contains($0) } ?? false
    }

    private static func host(of authority: Substring) -> Substring {
        if authority.utf8.starts(with: "[".utf8) {
            guard let bracket = authority.utf8.firstIndex(of: UInt8(ascii: "]")) else { return authority }
            return authority[...bracket]
        }
        return authority[..<(authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex)]
    }
}
