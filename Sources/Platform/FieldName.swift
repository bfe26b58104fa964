/// Names of header fields (RFC 9110, section 5.1).
package enum FieldName {
    /// What frames a message, names the server, or belongs to how bytes are counted and gone on with: set by whoever makes the request, and by nobody
    /// else.
    package static let framing: Set<String> = [
        "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
        "proxy-connection", "range", "if-range", "accept-encoding",
    ]

    /// All that a user can't set: a condition's answer, too, means something only to whoever made it (RFC 9110, section 13.1).
    package static let reserved = framing.union([
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    ])

    /// Whether it is a token (RFC 9110, section 5.6.2).
    package static func isToken(_ name: String) -> Bool {
        var name = name
        // Side by side: a view of them looks each one up.
        return name.withUTF8 { !$0.isEmpty && $0.allSatisfy(isTokenByte) }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}
