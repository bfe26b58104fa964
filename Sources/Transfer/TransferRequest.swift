/// One GET: what is asked for, and what will be accepted for an answer.
public struct TransferRequest: Sendable {
    /// What is asked for.
    public var url: TransferURL
    /// Sent to the URL's own origin only, never across a redirect to another one.
    public var headers = HeaderFields()
    /// The position of the first byte wanted; 0 asks for the whole, with no `Range` at all.
    public var offsetBytes: Int64 = 0
    /// The validator for `If-Range` (RFC 9110 §13.1.5); only sent with an offset. It must be strong.
    public var ifRange: String?
    /// How many body bytes are taken at most; the transfer is cut the moment more arrive. Nil: no bound.
    public var bodyBudgetBytes: Int64?
    /// What becomes of redirects; followed up to ten times by default.
    public var redirects = RedirectPolicy.follow(limit: 10)

    /// Asks for the whole of what is at `url`.
    public init(url: TransferURL) { self.url = url }
}

/// What becomes of a redirect (301, 302, 303, 307, 308). Whatever is allowed here, one from https to http is refused.
public enum RedirectPolicy: Hashable, Sendable {
    /// The 3xx itself is the outcome.
    case refuse
    /// Followed as long as scheme, host and port stay the same, at most `limit` times in a row.
    case sameOrigin(limit: Int)
    /// Followed at most `limit` times in a row; 0 refuses all.
    case follow(limit: Int)
}
