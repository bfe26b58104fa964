/// How a session speaks to the network. A session keeps the configuration it was made with; only `rateLimitBytesPerSecond` can change while it
/// lives.
public struct SessionConfiguration: Hashable, Sendable {
    /// The longest silence between bytes, 30 s. It does not run while the consumer holds the network side up, nor while the machine sleeps. The
    /// head of a reply must be complete within this and `connectTimeout` together, however it is dripped.
    public var idleTimeout: Duration = .seconds(30)
    /// Until a connection, TLS included, stands: 15 s.
    public var connectTimeout: Duration = .seconds(15)
    /// The whole exchange, redirects included, and all ranges that a download fetches beside each other; nil, the default: no bound.
    public var transferTimeout: Duration?
    /// Fewer bytes a second than this over a whole idle period end the exchange, counted from the first byte of a body; nil, the default: any
    /// pace is fine.
    public var minimumBytesPerSecond: Int64?
    /// Body bytes a second that all exchanges of the session may take together; nil, the default: no bound.
    public var rateLimitBytesPerSecond: Int64?
    /// What a URL, or a redirect's location, may start with: `http` and `https`.
    public var allowedSchemes: Set<String> = ["http", "https"]
    /// Which HTTP to speak; by default HTTP/2 where TLS can settle on it. `https` through a proxy is always HTTP/1.1.
    public var httpVersion = HTTPVersion.automatic
    /// A proxy's URL; empty: none, even if the environment names one; nil, the default: what the environment names.
    public var proxy: String?
    /// The network interface, or local address, to send from; nil, the default: the system's choice.
    public var interface: String?
    /// How much the session's packets may claim of a network that is full; by default as much as anybody's.
    public var trafficClass = TrafficClass.standard
    /// A file of CA certificates (PEM) instead of the system's.
    public var caBundlePath: String?
    /// A netrc file whose logins are used for the hosts it names; nil, the default: none, not even `~/.netrc`.
    public var netrcPath: String?
    /// What `User-Agent` says (RFC 9110 §10.1.5): `larder`.
    public var userAgent = "larder"
    /// Sent with every request, to the asked URL's own origin only. None of them may frame the message, ask for a range or a coding, or make a
    /// condition.
    public var headers = HeaderFields()

    /// The defaults.
    public init() {}

    /// Which HTTP to speak.
    public enum HTTPVersion: String, Hashable, Sendable, CaseIterable {
        /// HTTP/2 over TLS where the server has it, else HTTP/1.1.
        case automatic = "auto"
        /// HTTP/1.1 only.
        case http1 = "1.1"
        /// HTTP/2, over plain connections too (prior knowledge).
        case http2 = "2"
    }

    /// Which packets of a full network go first.
    public enum TrafficClass: String, Hashable, Sendable, CaseIterable {
        /// Nothing is said of them.
        case standard
        /// Lower effort (RFC 8622): networks that know it let these packets through when no others want the room, and drop them first.
        case lowerEffort
    }
}
