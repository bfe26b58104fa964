import Platform

/// One GET or HEAD: what is asked for, and what will be accepted for an answer.
public struct TransferRequest: Sendable {
    /// What a request is about (RFC 9110 §9.3).
    public enum Method: Hashable, Sendable {
        /// The content.
        case get
        /// What the head of a reply with the content would be; there is no body.
        case head
    }

    /// What is asked for.
    public var url: TransferURL
    /// Whether the content is asked for; it is, by default.
    public var method = Method.get
    /// Sent to the URL's own origin only, never across a redirect to another one. One that frames the message, or asks for a range or a coding, can't
    /// be among them: `unusableRequest`.
    public var headers = HeaderFields()
    /// The position of the first byte wanted; 0 asks for the whole, with no `Range` at all. A negative one can't be asked for: `unusableRequest`.
    public var offsetBytes: Int64 = 0
    /// The position behind the last byte wanted; nil, the default: all up to the end. One that isn't beyond the offset can't be asked for:
    /// `unusableRequest`.
    public var endBytes: Int64?
    /// Whether it must not share a connection with others, whose pace would then be one: it then speaks HTTP/1.1 where the configuration leaves
    /// the choice.
    public var hasOwnConnection = false
    /// When the whole began that this is a part of, for the deadline of the whole exchange; nil, the default: with this.
    public var began: SuspendingClock.Instant?
    /// The validator for `If-Range` (RFC 9110 §13.1.5); only sent with a range. It must be strong.
    public var ifRange: String?
    /// How many body bytes are taken at most; the transfer is cut the moment more arrive. Nil: no bound.
    public var bodyBudgetBytes: Int64?
    /// Where its consumer reserves what the whole takes, if it does; only with a session that has a credit.
    package var creditShare: ByteCredit.Share?
    /// What becomes of redirects; followed up to ten times by default.
    public var redirects = RedirectPolicy.follow(limit: 10)

    /// Why it can't be made; nil where it can.
    var problem: String? {
        guard offsetBytes >= 0, offsetBytes < endBytes ?? .max else {
            return "the range asked for is empty, or begins before the content"
        }
        if let ifRange, !HeaderFields.isValue(ifRange) { return "its validator can't be in a header" }
        return headers.first(of: FieldName.framing).map { "the header \($0.name) is set by the session alone" }
    }

    /// The range as `Range` spells it (RFC 9110 §14.1.2); nil for the whole.
    var range: String? {
        guard offsetBytes > 0 || endBytes != nil else { return nil }
        return "\(offsetBytes)-" + (endBytes.map { "\($0 - 1)" } ?? "")
    }

    /// Asks for the whole of what is at `url`.
    public init(url: TransferURL) { self.url = url }
}
