import Platform

/// Why an exchange brought no complete reply.
public enum TransferError: Error, Sendable, CustomStringConvertible {
    /// The name, the host, the proxy or TLS could not be reached; nothing was exchanged.
    case unreachable(String)
    /// The same, where it may be this machine that isn't connected: no route leads there, or the name couldn't be resolved.
    case noRoute(String)
    /// The certificate or the TLS exchange was refused.
    case insecure(String)
    /// The connection was lost before the reply was complete.
    case connectionLost(String)
    /// What came was no HTTP reply, or one that contradicts itself.
    case invalidResponse(String)
    /// A redirect that was not to be followed; `status` is its 3xx.
    case redirectRefused(status: Int, reason: String)
    /// The body is, or was about to become, larger than the request's budget.
    case overBudget(limitBytes: Int64)
    /// A deadline of the session's configuration passed, this long.
    case timedOut(Deadline, after: Duration)
    /// `cancel` was called, or the session was invalidated.
    case cancelled
    /// The consumer could not take the body: a full disk, say.
    case consumerFailed(any Error & Sendable)
    /// The request can't be made at all: its URL's scheme, or a setting that libcurl refuses.
    case unusableRequest(String)

    /// The deadlines an exchange may break.
    public enum Deadline: String, Sendable {
        /// Until the connection, TLS included, stands.
        case connect
        /// From the request until the head of its reply is complete: as long as it may take to connect and then be silent, interim replies
        /// (1xx) included. Each redirect has its own.
        case head
        /// The longest silence.
        case idle
        /// The whole exchange, redirects included.
        case whole
        /// Too few bytes over a whole idle period.
        case minimumRate
    }

    /// One line for people; names no URL, which the caller knows.
    public var description: String {
        switch self {
        case .unreachable(let reason), .noRoute(let reason): reason
        case .insecure(let reason): "the secure connection was refused: \(reason)"
        case .connectionLost(let reason): "the connection was lost: \(reason)"
        case .invalidResponse(let reason): "the reply is no valid HTTP: \(reason)"
        case .redirectRefused(let status, let reason): "a redirect (\(status)) was refused: \(reason)"
        case .overBudget(let limit): "the reply is larger than the \(limit) bytes allowed for it"
        case .timedOut(.connect, let after): "no connection within \(after)"
        case .timedOut(.head, let after): "the head of the reply was not complete within \(after)"
        case .timedOut(.idle, let after): "not a byte for \(after)"
        case .timedOut(.whole, let after): "not complete within \(after)"
        case .timedOut(.minimumRate, let after): "below the minimum rate for \(after)"
        case .cancelled: "cancelled"
        case .consumerFailed(let error): "\(error)"
        case .unusableRequest(let reason): "the request can't be made: \(reason)"
        }
    }
}
