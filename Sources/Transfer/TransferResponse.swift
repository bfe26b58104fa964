/// The head of the final reply: after all redirects, and never an interim (1xx) one.
public struct TransferResponse: Sendable {
    /// The status code (RFC 9110 §15).
    public let status: Int
    /// The header fields as they came; trailers are no part of them.
    public let headers: HeaderFields
    /// Where the reply came from, after redirects.
    public let url: TransferURL
    /// How many redirects led there.
    public let redirectCount: Int
    /// How the end of the body is known.
    public let framing: BodyFraming

    /// The length the server declared for this body (RFC 9110 §8.6); nil when it declared none that counts: beside a transfer coding it
    /// means nothing (RFC 9112 §6.3).
    public var contentLengthBytes: Int64? {
        framing == .length ? headers["Content-Length"].flatMap { decimalBytes($0) } : nil
    }

    /// What the server says of the body's place in the whole; nil when there is no such field. `.some(nil)`: one that is malformed.
    public var contentRange: ContentRange?? { headers["Content-Range"].map { ContentRange($0) } }

    /// The entity tag as it came, quotes and `W/` included.
    public var entityTag: String? { headers["ETag"] }

    /// The entity tag where it is strong and well-formed (RFC 9110 §8.8.3).
    public var strongEntityTag: String? { entityTag.flatMap { isStrongEntityTag($0) ? $0 : nil } }

    /// `Last-Modified` as it came.
    public var lastModified: String? { headers["Last-Modified"] }

    /// The modification date where it is strong (RFC 9110 §8.8.2.2): the origin's clock had left that second by at least one more when it
    /// answered, so a later change shows in a later date.
    public var strongLastModified: String? {
        guard
            let lastModified, let modified = HTTPDate.seconds(lastModified),
            let date = headers["Date"].flatMap(HTTPDate.seconds), modified < date
        else { return nil }
        return lastModified
    }

    /// The content codings (RFC 9110 §8.4) in the order they were applied, `identity` left out.
    public var contentCoding: String? {
        let codings = headers.all("Content-Encoding").joined(separator: ", ")
        return codings.isEmpty || codings.lowercased() == "identity" ? nil : codings
    }
}

extension TransferResponse {
    /// The same reply with another status, and with other fields in the place of those that say how much of what it carries.
    package func replacing(status: Int, _ fields: [(name: String, value: String)]) -> TransferResponse {
        var headers = HeaderFields()
        let replaced: Set = ["accept-ranges", "content-length", "content-range"]
        for field in self.headers.fields where !replaced.contains(field.name.lowercased()) {
            headers.append(field.name, field.value)
        }
        for field in fields { headers.append(field.name, field.value) }
        return TransferResponse(
            status: status, headers: headers, url: url, redirectCount: redirectCount, framing: .length)
    }
}

/// Whether a text is an entity tag that `If-Range` may carry (RFC 9110 §8.8.3): quoted, not marked as weak, of visible ASCII. Other bytes are
/// allowed by the grammar, but don't come back from a decoder as they went in.
package func isStrongEntityTag(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let quote = UInt8(ascii: "\"")
    guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return false }
    return bytes.dropFirst().dropLast().allSatisfy { (0x21...0x7e).contains($0) && $0 != quote }
}
