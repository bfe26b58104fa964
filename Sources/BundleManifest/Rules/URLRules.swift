import Diagnostics
import Platform

/// What may stand as a URL in a manifest, as far as its text tells (RFC 3986).
package enum URLRules {
    /// - Parameter allowsFileURLs: whether the manifest was read from a local path.
    package static func check(_ text: String, allowsFileURLs: Bool) throws(Problem) -> URLReference {
        guard !text.isEmpty else { throw Problem(.emptyURL, "a URL can't be empty") }
        // Without a colon and two slashes there is neither scheme nor authority.
        guard text.utf8.contains(UInt8(ascii: ":")) || text.utf8.starts(with: "//".utf8) else {
            try checkCharacters(text)
            return URLReference(checked: text)
        }
        let parts = URLParts(text)
        // First of all: other findings may quote the URL, or show it.
        guard parts.authority?.utf8.contains(UInt8(ascii: "@")) != true else {
            throw Problem(
                .credentialsInURL, "a URL can't hold a user name or a password",
                hint: "put them into a netrc file, and name that in --config")
        }
        try checkCharacters(text)
        if let authority = parts.authority { try check(authority: authority) }
        if let scheme = parts.scheme { try check(scheme: scheme, of: parts, allowsFileURLs: allowsFileURLs) }
        return URLReference(checked: text)
    }

    private static let plainSchemes = ["https://", "http://"].map { Array($0.utf8) }

    /// Whether a URL is as nearly all are: a host name and a path, or a path alone, of characters that mean nothing. One look at each byte.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { bytes in
            let scheme = plainSchemes.first { bytes.starts(with: $0) } ?? []
            let rest = bytes.dropFirst(scheme.count)
            guard let first = rest.first, rest.startIndex == 0 || first != UInt8(ascii: "/") else { return false }
            guard first != UInt8(ascii: "/") || rest.dropFirst().first != UInt8(ascii: "/") else { return false }
            return rest.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                    true
                default: false
                }
            }
        } ?? false
    }

    private static func check(scheme: Substring, of parts: URLParts, allowsFileURLs: Bool) throws(Problem) {
        switch scheme.lowercased() {
        case "http", "https":
            guard let authority = parts.authority, URLParts.hostAndPort(of: authority)?.host.isEmpty == false else {
                throw Problem(.badHost, "the URL names no host", hint: "write \(scheme)://HOST/PATH")
            }
        case "file":
            guard allowsFileURLs else {
                throw Problem(
                    .fileURL, "a file URL is only allowed in a manifest that was read from a local path",
                    hint: "serve the file over http or https")
            }
            guard ["", "localhost"].contains((parts.authority ?? "").lowercased()),
                parts.path.utf8.starts(with: "/".utf8)
            else {
                throw Problem(.badHost, "a file URL names an absolute path on this machine", hint: "write file:///PATH")
            }
        default:
            throw Problem(
                .unknownScheme, "the scheme \(String(scheme).quotedForMessage()) is none of http, https and file",
                hint: nearestMatch(to: String(scheme), among: ["https", "http", "file"]).map { "did you mean \($0)?" }
                    ?? (parts.authority == nil
                        ? "if this is a relative path, write it with ./ in front" : "serve it over https or http"))
        }
    }

    private static func check(authority: Substring) throws(Problem) {
        guard let (host, port) = URLParts.hostAndPort(of: authority), canBeHost(host) else {
            throw Problem(.badHost, "the host \(String(authority).quotedForMessage()) is malformed")
        }
        guard port.isEmpty || URLParts.isPort(port) else {
            throw Problem(.badPort, "the port \(String(port).quotedForMessage()) is not a number from 1 to 65535")
        }
    }

    /// Whether a server can be called so: by a name, or an address in brackets. RFC 3986 takes more, and no resolver does.
    private static func canBeHost(_ host: Substring) -> Bool {
        var rest = host.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            let address = rest.dropFirst().dropLast().prefix { $0 != UInt8(ascii: "%") }
            return !address.isEmpty
                && address.allSatisfy { isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        }
        while let byte = rest.popFirst() {
            // What is encoded is a letter beyond ASCII.
            guard byte != UInt8(ascii: "%") else {
                guard let digit = rest.first, digit >= UInt8(ascii: "8") else { return false }
                rest = rest.dropFirst(2)
                continue
            }
            guard byte.isUnreserved else { return false }
        }
        return true
    }

    /// What is odd about a URL that can be used.
    static func doubts(_ text: String) -> [Problem] {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else { return [] }
        let parts = URLParts(text)
        var doubts: [Problem] = []
        if parts.fragment != nil {
            doubts.append(
                Problem(
                    .fragment, "what follows # in a URL is never sent to a server",
                    hint: "a # in the name of a file is written %23"))
        }
        let names = (parts.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" }.lowercased() }
        if let signature = names.first(where: SecretNames.parameters.contains) {
            doubts.append(
                Problem(
                    .signedURL,
                    "the query's \(signature.quotedForMessage()) is a signature or a token, and such URLs expire",
                    hint: "name a URL that lasts as long as the manifest"))
        }
        return doubts
    }

    /// The URL in quotes for a message, without what nobody should get to see: a login, or the query of a signed one.
    static func quoted(_ text: String) -> String {
        var parts = URLParts(text)
        if let at = parts.authority?.utf8.lastIndex(of: UInt8(ascii: "@")), let authority = parts.authority {
            parts.authority = "***" + authority[at...]
        }
        if doubts(text).contains(where: { $0.rule == .signedURL }) { parts.query = "***" }
        return parts.text.quotedForMessage()
    }

    private static func checkCharacters(_ text: String) throws(Problem) {
        guard !text.utf8.allSatisfy(isPlain) else { return }
        if let bad = text.unicodeScalars.first(where: { !$0.isASCII || !URLCharacters.isAllowed(UInt8(ascii: $0)) }) {
            throw Problem(
                .badURLCharacter, "a URL can't have \(String(bad).quotedForMessage()) in it",
                hint: hint(bad, in: text))
        }
        var rest = text.utf8[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            let digits = rest[rest.index(after: percent)...].prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexDigit) else {
                throw Problem(
                    .badPercentEscape, "\(String("%\(Substring(digits))").quotedForMessage()) is no percent-encoding",
                    hint: "a percent sign itself is written %25")
            }
            rest = rest[digits.endIndex...]
        }
    }

    private static func hint(_ bad: Unicode.Scalar, in text: String) -> String {
        if bad == "\\" { return "components are separated by /" }
        // Nobody means a line end or a tab that comes along when a URL is copied.
        if bad.value < 0x20 || hasBlankEnd(text) { return "leave it out" }
        if head(of: text).unicodeScalars.contains(bad) {
            return bad.isASCII ? "leave it out" : "a host is called in ASCII: xn--…"
        }
        return "percent-encode it as \(URLCharacters.percentEncoded(bad))"
    }

    /// The URL with what can't stand in it percent-encoded; nil where that wouldn't be what was meant: in a scheme or a host, beside a percent sign
    /// that encodes nothing, and for a space that came along when the URL was copied.
    static func encoded(_ text: String) -> String? {
        guard !hasBlankEnd(text), head(of: text).utf8.allSatisfy(URLCharacters.isAllowed),
            let encoded = URLCharacters.percentEncoded(text), (try? checkCharacters(encoded)) != nil
        else { return nil }
        return encoded
    }

    /// All before the path, or what was meant as that.
    private static func head(of text: String) -> Substring {
        let parts = URLParts(text)
        if let authority = parts.authority { return text[..<authority.endIndex] }
        if let mark = parts.path.firstRange(of: "://") { return text[..<mark.upperBound] }
        return ["http", "https", "file"].contains(parts.scheme?.lowercased()) ? text[...] : ""
    }

    /// Whether a space stands before or behind the URL.
    private static func hasBlankEnd(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: " ") || text.utf8.last == UInt8(ascii: " ")
    }

    /// Allowed, and no percent sign.
    private static func isPlain(_ byte: UInt8) -> Bool { byte != UInt8(ascii: "%") && URLCharacters.isAllowed(byte) }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }
}
