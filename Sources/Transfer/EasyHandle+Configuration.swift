import CCurl
import Glibc

extension EasyHandle {
    /// Sets what all exchanges of a session with URLs of a scheme have in common.
    /// - Parameter hasOwnConnection: whether the exchange is to be the only one on its connection.
    func configure(for configuration: SessionConfiguration, scheme: String, hasOwnConnection: Bool) {
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PROTOCOLS_STR, configuration.allowedSchemes.sorted().joined(separator: ","))
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        var version = scheme == "https" ? configuration.tunnelledVersion : configuration.httpVersion
        if hasOwnConnection, version == .automatic { version = .http1 }
        set(CURLOPT_HTTP_VERSION, version.curlVersion)
        if let proxy = configuration.proxy { set(CURLOPT_PROXY, proxy) }
        if let interface = configuration.interface { set(CURLOPT_INTERFACE, interface) }
        if configuration.trafficClass == .lowerEffort { set(CURLOPT_SOCKOPTFUNCTION, callback: lowerEffortCallback) }
        if let path = configuration.caBundlePath { set(CURLOPT_CAINFO, path) }
        if let path = configuration.netrcPath {
            set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
            set(CURLOPT_NETRC_FILE, path)
        }
    }
}

extension SessionConfiguration {
    /// Which HTTP to speak over TLS. Not HTTP/2 through a proxy: libcurl (7.88) sends streams into tunnels that don't stand yet, and loses them
    /// ("no filter connected").
    fileprivate var tunnelledVersion: HTTPVersion { usesProxy ? .http1 : httpVersion }

    /// Whether there may be a proxy for `https`, be it one that the environment names.
    private var usesProxy: Bool {
        if let proxy { return !proxy.isEmpty }
        return ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { (name: String) in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
    }
}

extension SessionConfiguration.HTTPVersion {
    /// What libcurl calls it.
    var curlVersion: Int {
        switch self {
        case .automatic: Int(CURL_HTTP_VERSION_2TLS)
        case .http1: Int(CURL_HTTP_VERSION_1_1)
        case .http2: Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
        }
    }
}

extension Duration {
    /// Rounded up, at least 1: libcurl takes 0 for its own default.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow, product < Int64(Int32.max) else { return Int(Int32.max) }
        return max(1, Int(product + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

/// Marks a new socket's packets, whichever version of IP they are of. A system that refuses it carries them as usual.
private let lowerEffortCallback: larder_curl_socket_callback = { _, socket, _ in
    // The code point 000001 (RFC 8622 §4) in the upper six bits of the field.
    var field: Int32 = 0b000001 << 2
    let length = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(socket, Int32(IPPROTO_IP), IP_TOS, &field, length)
    setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_TCLASS, &field, length)
    return CURL_SOCKOPT_OK
}
