/// One request and what became of it.
package struct Exchange: Sendable, CustomStringConvertible {
    package enum End: Sendable {
        /// All of the reply was handed over.
        case complete
        /// The connection was ended as the reply asked for.
        case cut
        /// The client left before that.
        case peerClosed
        /// The server was stopped before that.
        case serverStopped
    }

    package let request: Request
    /// The status, from when it is being sent; `nil` also for garbage.
    package internal(set) var status: Int?
    /// Bytes of the body handed to the kernel, without any framing.
    package internal(set) var bodyBytesSent: UInt64 = 0
    /// How it ended; `nil` while it goes on.
    package internal(set) var end: End?
    /// How many requests for its path were being answered when it came, itself included: only such whose client waited for more.
    package let simultaneousRequests: Int

    package var description: String {
        let end = end.map { "\($0)" } ?? "going on"
        return "\(request) -> \(status.map(String.init) ?? "nothing"), \(bodyBytesSent) bytes, \(end)"
    }
}
