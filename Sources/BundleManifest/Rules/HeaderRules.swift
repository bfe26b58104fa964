import Diagnostics

/// Which extra request headers a manifest may ask for (RFC 9110, section 5).
enum HeaderRules {
    /// What frames the message, names the server, or belongs to how Larder resumes and validates.
    static let reserved: Set<String> = [
        "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
        "proxy-connection", "range", "if-range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since",
        "accept-encoding",
    ]

    static func check(name: String) throws(Problem) {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
            throw Problem(.badHeaderName, "\(name.quotedForMessage()) can't be the name of a header")
        }
        guard !reserved.contains(name.lowercased()) else {
            throw Problem(.reservedHeader, "the header \(name) is set by Larder alone", hint: "leave it out")
        }
    }

    static func check(value: String) throws(Problem) {
        guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
            throw Problem(.badHeaderValue, "a header's value can't have control characters in it")
        }
    }

    static func isSecret(_ name: String) -> Bool { SecretNames.headers.contains(name.lowercased()) }

    /// `tchar` of RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
