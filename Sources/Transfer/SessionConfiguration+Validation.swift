import CCurl
import Glibc
import Platform

extension SessionConfiguration {
    /// Tells whether a session of this configuration can work, as far as this machine alone can tell. Reads the files it names.
    /// - Throws: `ConfigurationError` for the first setting that is wrong.
    public func validate() throws(ConfigurationError) {
        try ConfigurationError.check(.idleTimeout, isPositive: idleTimeout)
        try ConfigurationError.check(.connectTimeout, isPositive: connectTimeout)
        try ConfigurationError.check(.transferTimeout, isPositive: transferTimeout)
        try ConfigurationError.check(.minimumBytesPerSecond, isPositive: minimumBytesPerSecond)
        try ConfigurationError.check(.rateLimitBytesPerSecond, isPositive: rateLimitBytesPerSecond)
        guard !allowedSchemes.isEmpty, allowedSchemes.isSubset(of: ["http", "https"]) else {
            throw ConfigurationError(.allowedSchemes, "they can be http, https or both")
        }
        try checkVersion()
        if let proxy, !proxy.isEmpty { try Self.checkProxy(proxy) }
        if let interface { try Self.checkInterface(interface) }
        if let caBundlePath { try Self.checkCertificates(caBundlePath) }
        if let netrcPath { _ = try Self.contents(.netrcPath, netrcPath) }
        var fields = HeaderFields()
        guard fields.append("User-Agent", userAgent) else {
            throw ConfigurationError(.userAgent, "it can have no control characters")
        }
        if let field = headers.first(of: FieldName.reserved) {
            throw ConfigurationError(.headers, "\(field.name) can't be among them: it is set for each request")
        }
    }

    /// A libcurl may be built without HTTP/2.
    private func checkVersion() throws(ConfigurationError) {
        let handle = EasyHandle()
        handle.set(CURLOPT_HTTP_VERSION, httpVersion.curlVersion)
        if let refusal = handle.refusal {
            throw ConfigurationError(
                .httpVersion, "this libcurl doesn't speak HTTP \(httpVersion.rawValue): \(refusal)")
        }
    }

    private static let proxySchemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// libcurl takes a proxy without a scheme for an HTTP one.
    private static func checkProxy(_ text: String) throws(ConfigurationError) {
        let proxy: TransferURL
        do { proxy = try TransferURL(text.contains("://") ? text : "http://\(text)") } catch {
            throw ConfigurationError(.proxy, "it is no URL: \(error.reason)")
        }
        guard proxySchemes.contains(proxy.scheme) else {
            let known = proxySchemes.sorted().joined(separator: ", ")
            throw ConfigurationError(
                .proxy, "there is no proxy of the kind '\(escapedText(proxy.scheme))': it can be \(known)")
        }
    }

    /// An interface that is there, or an address of this machine's that a socket can have.
    private static func checkInterface(_ name: String) throws(ConfigurationError) {
        guard if_nametoindex(name) == 0, !isLocalAddress(name) else { return }
        throw ConfigurationError(
            .interface, "'\(escapedText(name))' is neither an interface nor an address of this machine")
    }

    private static func isLocalAddress(_ text: String) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(text, nil, &hints, &found) == 0, let found else { return false }
        defer { freeaddrinfo(found) }
        let address = found.pointee
        let socket = Glibc.socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        return bind(socket, address.ai_addr, address.ai_addrlen) == 0
    }

    private static func checkCertificates(_ path: String) throws(ConfigurationError) {
        let text = String(decoding: try contents(.caBundlePath, path), as: UTF8.self)
        // Both spellings that OpenSSL reads.
        guard text.contains("-----BEGIN CERTIFICATE-----") || text.contains("-----BEGIN TRUSTED CERTIFICATE-----")
        else {
            throw ConfigurationError(.caBundlePath, "'\(escapedText(path))' has no certificates (PEM)")
        }
    }

    /// Neither bundles nor logins come near this.
    private static let fileLimitBytes = 16 << 20

    private static func contents(
        _ setting: ConfigurationError.Setting, _ path: String
    ) throws(ConfigurationError) -> [UInt8] {
        do {
            let file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
            guard try file.status().kind == .file else {
                throw ConfigurationError(setting, "'\(escapedText(path))' is no regular file")
            }
            return try file.readAll(limitBytes: fileLimitBytes)
        } catch {
            throw error as? ConfigurationError ?? ConfigurationError(setting, "it can't be read: \(error)")
        }
    }
}
