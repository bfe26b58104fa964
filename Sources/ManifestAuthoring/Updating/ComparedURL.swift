import Platform

extension URLParts {
    /// The URL as it is told from others, for comparison alone (RFC 3986 §6.2.2, 6.2.3): case doesn't count in scheme and host, a default port is
    /// none, and what needn't be percent-encoded in a path isn't.
    var compared: String {
        var parts = self
        let scheme = scheme?.lowercased()
        parts.scheme = scheme?[...]
        parts.authority = authority.map { Self.compared(authority: $0, scheme) }
        if path.utf8.contains(UInt8(ascii: "%")) { parts.path = Self.compared(path: path)[...] }
        if authority?.isEmpty == false, path.isEmpty { parts.path = "/" }
        return parts.text
    }

    private static func compared(authority: Substring, _ scheme: String?) -> Substring {
        let authority = authority.lowercased()[...]
        guard let (host, port) = Self.hostAndPort(of: authority) else { return authority }
        let isDefault = port.isEmpty || (scheme == "http" && port == "80") || (scheme == "https" && port == "443")
        return isDefault ? host : authority
    }

    private static func compared(path: Substring) -> String {
        var compared: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            guard byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(String(digits) ?? "", radix: 16)
            else {
                compared.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            if value.isUnreserved {
                compared.append(value)
            } else {
                compared += [byte] + (String(digits) ?? "").uppercased().utf8
            }
        }
        return String(decoding: compared, as: UTF8.self)
    }
}
