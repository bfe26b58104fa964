import CCurl
import Platform

/// An absolute URL (RFC 3986) as libcurl itself reads it, so that what is judged here is what is asked on the wire.
public struct TransferURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL in full, normalized by libcurl: what goes to the wire. It may hold secrets; show `description`.
    public var text: String { parts.text }
    /// In lower case.
    public var scheme: String { parts.scheme }
    /// In lower case; empty for `file`.
    public var host: String { parts.host }
    /// The port, the scheme's default where none is written; 0 for `file`.
    public var port: Int { parts.port }
    /// The path, still percent-encoded; at least `/`.
    public var path: String { parts.path }
    /// User name and password as they stand in the URL; nil for none. They are secrets.
    package var userInfo: String? { parts.userInfo }

    /// Shared by all copies: a download hands its URL on many times.
    private let parts: Parts

    private final class Parts: Sendable {
        let text: String
        let scheme: String
        let host: String
        let port: Int
        let path: String
        let userInfo: String?

        init(text: String, scheme: String, host: String, port: Int, path: String, userInfo: String?) {
            self.text = text
            self.scheme = scheme
            self.host = host
            self.port = port
            self.path = path
            self.userInfo = userInfo
        }
    }

    /// Whether both ask for the same thing in the same words: all parts come from the text.
    public static func == (left: TransferURL, right: TransferURL) -> Bool {
        left.parts === right.parts || left.text == right.text
    }

    /// Feeds what makes two URLs differ.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Scheme, host and port: who a request's secrets are meant for (RFC 6454).
    public struct Origin: Hashable, Sendable, CustomStringConvertible {
        /// In lower case.
        public let scheme: String
        /// In lower case.
        public let host: String
        /// The scheme's default where the URL names none.
        public let port: Int

        /// `https://example.org`, with the port where it isn't the scheme's own.
        public var description: String {
            escapedText("\(scheme)://\(host)" + (port == TransferURL.defaultPort(scheme) ? "" : ":\(port)"))
        }
    }

    /// Who the URL asks.
    public var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// Reads an absolute URL.
    /// - Throws: `TransferURLError` when `text` is none, or has a character that no URL may contain.
    public init(_ text: String) throws(TransferURLError) {
        try self.init(text, relativeTo: nil)
    }

    /// Resolves a URL reference against this URL (RFC 3986 §5).
    public func resolving(_ reference: String) throws(TransferURLError) -> TransferURL {
        // libcurl 7.88 forgets the base's query when there is nothing but a fragment, which doesn't count for us anyway.
        reference.hasPrefix("#") ? self : try TransferURL(reference, relativeTo: text)
    }

    /// The same with another URL's user name and password, where it has none itself: a redirect within an origin that names the host again doesn't
    /// mean to leave them behind.
    func withLogin(of other: TransferURL) -> TransferURL {
        var parts = URLParts(text)
        guard userInfo == nil, let login = other.userInfo, let server = parts.authority else { return self }
        parts.authority = login + "@" + server
        return (try? TransferURL(parts.text)) ?? self
    }

    private init(_ reference: String, relativeTo base: String?) throws(TransferURLError) {
        // libcurl takes control characters for part of a path; nobody who writes them means well.
        guard !reference.isEmpty, !reference.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else {
            throw TransferURLError(text: reference, reason: "it is empty, or has blanks or control characters")
        }
        guard let handle = curl_url() else { preconditionFailure("out of memory for a URL") }
        defer { curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
        if let base {
            let code = curl_url_set(handle, CURLUPART_URL, base, flags)
            guard code == CURLUE_OK else { throw TransferURLError(text: base, code: code) }
        }
        let code = curl_url_set(handle, CURLUPART_URL, reference, flags)
        guard code == CURLUE_OK else { throw TransferURLError(text: reference, code: code) }
        func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
            defer { curl_free(text) }
            return String(cString: text)
        }
        // Spellings that RFC 3986 §6.2 calls equivalent are the same download: the host's case, the scheme's default port.
        if let host = part(CURLUPART_HOST), host != host.lowercased() {
            curl_url_set(handle, CURLUPART_HOST, host.lowercased(), flags)
        }
        // A fragment names a place inside the asset; it is never sent, and two of them are the same download.
        curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0)
        guard let text = part(CURLUPART_URL, UInt32(CURLU_NO_DEFAULT_PORT)), let scheme = part(CURLUPART_SCHEME) else {
            throw TransferURLError(text: reference, reason: "it has no scheme")
        }
        let login = [part(CURLUPART_USER), part(CURLUPART_PASSWORD)].compactMap { $0 }
        parts = Parts(
            text: text, scheme: scheme.lowercased(), host: (part(CURLUPART_HOST) ?? "").lowercased(),
            port: part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } ?? 0,
            path: part(CURLUPART_PATH) ?? "/", userInfo: login.isEmpty ? nil : login.joined(separator: ":"))
        guard scheme == "file" || !host.isEmpty else {
            throw TransferURLError(text: reference, reason: "it has no host")
        }
    }

    /// The last component of the path, percent-decoded; empty when the path ends with a slash.
    public var lastPathComponent: [UInt8] {
        percentDecoded(
            path.utf8.suffix(from: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex).dropFirst())
    }

    /// The whole path, percent-decoded: for `file` URLs.
    public var decodedPath: [UInt8] { percentDecoded(Substring(path).utf8) }

    /// The URL as it may be shown: without user name and password, and with a query's content left out, where signed URLs keep
    /// their secrets.
    public var description: String { shownURL(text) }

    private static func defaultPort(_ scheme: String) -> Int {
        switch scheme {
        case "http": 80
        case "https": 443
        default: -1
        }
    }
}

/// Why a text is no URL that can be asked for.
public struct TransferURLError: Error, Hashable, Sendable, CustomStringConvertible {
    let text: String
    let reason: String

    init(text: String, reason: String) {
        self.text = text
        self.reason = reason
    }

    init(text: String, code: CURLUcode) {
        self.init(text: text, reason: String(cString: curl_url_strerror(code)))
    }

    /// What was given, without what may be secret in it, and why it is no URL.
    public var description: String {
        "'\(shownURL(text))' is not a URL that can be asked for: \(reason)"
    }
}
