import TestSupport

/// An HTTP/1.1 server on loopback that misbehaves on request.
///
///     let server = try FaultServer()
///     server.serve("/film.bin", Resource(.pattern(lengthBytes: 1_000_000, seed: 1)))
///     server.script("/film.bin", [.altered { $0.cut(afterBytes: 400_000) }, .reply(.retryLater(after: "1"))])
///
/// A second server is another origin. It runs until `stop`, or until nobody holds it any more.
package final class FaultServer: Sendable {
    private let listener: Listener

    /// Listens at once.
    ///
    /// - Parameters:
    ///   - port: 0 takes any free one; another is for a server that comes back where it was.
    ///   - onEveryAddress: not on loopback's alone; for namespaces that nobody else can reach.
    package init(port: UInt16 = 0, onEveryAddress: Bool = false) throws {
        listener = try Listener(port: port, onEveryAddress: onEveryAddress)
        try listener.start()
    }

    deinit { stop() }

    /// Ends every connection and thread. Waits for them, so a closure that makes a reply must not wait for this.
    package func stop() { listener.stop() }

    package var port: UInt16 { listener.port }

    package var origin: String { "http://127.0.0.1:\(port)" }

    package func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    // MARK: What it answers

    /// Serves a path, with any query, from now on. What isn't served is a 404.
    package func serve(_ path: String, _ resource: Resource) { serve(path, making: resource.reply) }

    package func serve(_ path: String, always reply: Reply) { serve(path) { _ in reply } }

    package func serve(_ path: String, making reply: @escaping @Sendable (Request) -> Reply) {
        listener.routes.update { $0[path, default: Route()].own = reply }
    }

    /// Answers the next requests for a path one step each; after that the path is served as before.
    package func script(_ path: String, _ steps: [Step]) {
        listener.routes.update { $0[path, default: Route()].script += steps }
    }

    // MARK: What it saw

    /// Every request so far, in the order they came.
    package var log: [Exchange] { listener.log.now }

    package func exchanges(_ path: String) -> [Exchange] { log.filter { $0.request.path == path } }

    /// How many connections were open at once at most.
    package var mostConnections: Int { listener.mostConnections.now }

    /// Bytes of bodies handed to the kernel for a path, all requests together.
    package func bodyBytesSent(_ path: String) -> UInt64 { exchanges(path).reduce(0) { $0 + $1.bodyBytesSent } }

    /// How many requests for a path were being answered at once, at most.
    package func simultaneousRequests(_ path: String) -> Int {
        exchanges(path).map(\.simultaneousRequests).max() ?? 0
    }

    /// Waits until `predicate` finds what it looks for in the log.
    ///
    /// - Parameter limit: a safety net for a broken test.
    /// - Throws: `WaitTimedOut`, with the log as it was then.
    package func wait<Found: Sendable>(
        for what: String, within limit: Duration = .seconds(90),
        until predicate: @escaping @Sendable ([Exchange]) -> Found?
    ) async throws -> Found {
        try await listener.log.wait(for: what, within: limit, until: predicate)
    }

    /// Waits until `count` requests for a path have come, and returns the last of these.
    @discardableResult
    package func waitForRequest(_ path: String, count: Int = 1, within limit: Duration = .seconds(90)) async throws
        -> Request
    {
        try await wait(for: "request \(count) for \(path)", within: limit) { log in
            log.first { $0.request.path == path && $0.request.number == count }?.request
        }
    }

    /// Waits until so many connections are open, the idle ones included.
    package func waitForConnections(_ count: Int, within limit: Duration = .seconds(90)) async throws {
        try await listener.connections.wait(for: "\(count) open connections", within: limit) { $0 == count ? () : nil }
    }

    /// Waits until a reply to a request for a path has come to its end, whichever that is.
    @discardableResult
    package func waitForEnd(_ path: String, count: Int = 1, within limit: Duration = .seconds(90)) async throws
        -> Exchange
    {
        try await wait(for: "the end of request \(count) for \(path)", within: limit) { log in
            log.first { $0.request.path == path && $0.request.number == count && $0.end != nil }
        }
    }

    /// Waits until so many bytes of one body have been handed to the kernel. With a stall there, the test can act at that very byte.
    package func waitUntilSent(
        _ path: String, bytes: UInt64, request number: Int = 1, within limit: Duration = .seconds(90)
    ) async throws {
        _ = try await wait(for: "\(bytes) body bytes of request \(number) for \(path)", within: limit) { log in
            log.first { $0.request.path == path && $0.request.number == number && $0.bodyBytesSent >= bytes }
        }
    }
}
