/// The five components of a URI reference (RFC 3986, appendix B). Splitting never fails: what the parts may hold is for others to say.
package struct URLParts {
    /// Without its colon, as written.
    package var scheme: Substring?
    /// What follows `//`.
    package var authority: Substring?
    package var path: Substring
    package var query: Substring?
    package var fragment: Substring?

    package init(_ text: String) {
        var rest = text[...]
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// RFC 3986, section 5.3.
    package var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// RFC 3986, section 5.2.2.
    package func resolved(against base: URLParts) -> URLParts {
        var target = self
        guard scheme == nil else { return target.withoutDotSegments() }
        target.scheme = base.scheme
        guard authority == nil else { return target.withoutDotSegments() }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
            return target
        }
        if !path.utf8.starts(with: "/".utf8) { target.path = Self.merged(path, onto: base) }
        return target.withoutDotSegments()
    }

    /// RFC 3986, section 5.2.3.
    private static func merged(_ path: Substring, onto base: URLParts) -> Substring {
        if base.authority != nil, base.path.isEmpty { return "/" + path }
        guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return base.path[...slash] + path
    }

    /// Whether a segment of the path begins with a dot: most have none.
    private var hasDotSegments: Bool {
        var previous = UInt8(ascii: "/")
        for byte in path.utf8 {
            if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return true }
            previous = byte
        }
        return false
    }

    /// RFC 3986, section 5.2.4.
    private func withoutDotSegments() -> URLParts {
        guard hasDotSegments else { return self }
        var result = self
        let isRooted = path.utf8.starts(with: "/".utf8)
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(isRooted ? 1 : 0)
        var kept: [Substring] = []
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        // A final dot segment names a folder.
        if segments.last == "." || segments.last == ".." { kept.append("") }
        result.path = (isRooted ? "/" : "") + kept.joined(separator: "/")[...]
        return result
    }

    private static func cut(_ rest: inout Substring, at delimiter: Unicode.Scalar) -> Substring? {
        guard let index = rest.utf8.firstIndex(of: UInt8(ascii: delimiter)) else { return nil }
        let tail = rest[rest.utf8.index(after: index)...]
        rest = rest[..<index]
        return tail
    }

    /// Whether a reference begins with a scheme. Looks no further than that, and splits nothing.
    package static func hasScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.first { !isSchemeByte($0) } == UInt8(ascii: ":")
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy(isSchemeByte)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: isLetter(byte) || byte &- UInt8(ascii: "0") < 10
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
}
