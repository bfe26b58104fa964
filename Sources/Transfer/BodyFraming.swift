/// How the end of a body is known (RFC 9112 §6.3).
public enum BodyFraming: Hashable, Sendable {
    /// The server declared how many bytes there are.
    case length
    /// The last chunk, or the end of an HTTP/2 stream, says so.
    case delimited
    /// The connection was closed, which proves nothing: the body may have been cut.
    case close
}
