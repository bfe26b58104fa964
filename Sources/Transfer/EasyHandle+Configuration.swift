import CCurl

extension EasyHandle {
    /// Sets what all exchanges of a session have in common.
    func configure(for configuration: SessionConfiguration) {
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PROTOCOLS_STR, configuration.allowedSchemes.sorted().joined(separator: ","))
        set(CURLOPT_BUFFERSIZE, 128 << 10)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        set(CURLOPT_HTTP_VERSION, configuration.httpVersion.curlVersion)
        if let proxy = configuration.proxy { set(CURLOPT_PROXY, proxy) }
        if let interface = configuration.interface { set(CURLOPT_INTERFACE, interface) }
        if let path = configuration.caBundlePath { set(CURLOPT_CAINFO, path) }
        if let path = configuration.netrcPath {
            set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
            set(CURLOPT_NETRC_FILE, path)
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
