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
    package internal(set) var end: End? { didSet { ended = .now } }
    package let began = ContinuousClock.now
    package private(set) var ended: ContinuousClock.Instant?

    package var description: String {
        let end = end.map { "\($0)" } ?? "going on"
        return "\(request) -> \(status.map(String.init) ?? "nothing"), \(bodyBytesSent) bytes, \(end)"
    }
}
