extension Sequence<UInt8> {
    /// The bytes as the path of a URL (RFC 3986 §3.3): all is percent-encoded that is neither unreserved nor a slash.
    package var percentEncodedPath: String {
        var encoded: [UInt8] = []
        for byte in self {
            if byte.isUnreserved || byte == UInt8(ascii: "/") {
                encoded.append(byte)
            } else {
                encoded += byte.percentEncoded.utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension String {
    /// The path as the path of a URL (RFC 3986 §3.3).
    package var percentEncodedPath: String { utf8.percentEncodedPath }
}

extension UInt8 {
    /// Whether it means in a URL what it is (RFC 3986 §2.3).
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
