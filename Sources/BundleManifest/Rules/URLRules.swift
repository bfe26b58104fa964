import Diagnostics
import Platform

/// What may stand as a URL in a manifest, as far as its text tells (RFC 3986).
enum URLRules {
    /// - Parameter allowsFileURLs: whether the manifest was read from a local path.
    static func check(_ text: String, allowsFileURLs: Bool) throws(Problem) -> URLReference {
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

    private static func check(scheme: Substring, of parts: URLParts, allowsFileURLs: Bool) throws(Problem) {
        switch scheme.lowercased() {
        case "http", "https":
            guard let authority = parts.authority, !host(of: authority).isEmpty else {
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
                hint: "if this is a relative path, write it with ./ in front")
        }
    }

    private static func check(authority: Substring) throws(Problem) {
        let host = host(of: authority)
        let rest = authority[host.endIndex...]
        let isLiteral = host.utf8.starts(with: "[".utf8)
        let isWhole = isLiteral ? host.utf8.last == UInt8(ascii: "]") : !host.utf8.contains(where: "[]".utf8.contains)
        guard isWhole, rest.isEmpty || rest.utf8.starts(with: ":".utf8) else {
            throw Problem(.badHost, "the host \(String(authority).quotedForMessage()) is malformed")
        }
        let port = rest.dropFirst()
        guard port.isEmpty || isPort(port) else {
            throw Problem(.badPort, "the port \(String(port).quotedForMessage()) is not a number from 1 to 65535")
        }
    }

    /// Up to the port's colon; an IP literal keeps its brackets.
    private static func host(of authority: Substring) -> Substring {
        if authority.utf8.starts(with: "[".utf8) {
            guard let bracket = authority.utf8.firstIndex(of: UInt8(ascii: "]")) else { return authority }
            return authority[...bracket]
        }
        return authority[..<(authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex)]
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return false }
        return Int(text).map { (1...65_535).contains($0) } ?? false
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
        if let signature = names.first(where: signatures.contains) {
            doubts.append(
                Problem(
                    .signedURL, "the query's \(signature.quotedForMessage()) is a signature, and such URLs expire",
                    hint: "name a URL that lasts as long as the manifest"))
        }
        return doubts
    }

    /// The parameters in which storage services sign URLs: S3 and those like it, Google's, Azure's, and CloudFront.
    private static let signatures: Set<String> = [
        "x-amz-signature", "x-goog-signature", "sig", "signature", "awsaccesskeyid", "key-pair-id",
    ]

    /// A URL with what can't stand in it percent-encoded; nil where it has a backslash or a control character, which were meant otherwise.
    static func percentEncoded(_ text: String) -> String? {
        var encoded = ""
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x20, scalar.value != 0x7F, scalar != "\\" else { return nil }
            if scalar.isASCII, isAllowed(UInt8(ascii: scalar)) {
                encoded.unicodeScalars.append(scalar)
            } else {
                encoded += percentEncoded(scalar)
            }
        }
        return encoded
    }

    private static func percentEncoded(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    private static func checkCharacters(_ text: String) throws(Problem) {
        guard !text.utf8.allSatisfy(isPlain) else { return }
        if let bad = text.unicodeScalars.first(where: { !$0.isASCII || !isAllowed(UInt8(ascii: $0)) }) {
            throw Problem(
                .badURLCharacter, "a URL can't have \(String(bad).quotedForMessage()) in it",
                hint: bad == "\\" ? "components are separated by /" : "percent-encode it as \(percentEncoded(bad))")
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

    /// Allowed, and no percent sign.
    private static func isPlain(_ byte: UInt8) -> Bool { byte != UInt8(ascii: "%") && isAllowed(byte) }

    /// The characters of RFC 3986, section 2, and the percent sign.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "/")...UInt8(ascii: ";"):
            true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"):
            false
        default: (0x21...0x5F).contains(byte) || byte == UInt8(ascii: "~")
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }
}
