import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// A server of six megabytes that is slow enough for several connections to be of use.
extension Workbench {
    static let splitBytes: UInt64 = 6_000_000

    /// Each connection is held to two megabytes a second: three seconds for one, and well under one for eight.
    func serveSlowly(
        _ path: String = "/a", _ change: @escaping @Sendable (Request, Reply) -> Reply = { $1 },
        _ resource: (inout Resource) -> Void = { _ in }
    ) {
        var own = Resource(content).altered { change($0, $1.paced(bytesPerSecond: 2_000_000)) }
        resource(&own)
        server.serve(path, own)
    }

    /// The same, but what lies from a position on comes only once the gate is open, however late that is.
    func serveSlowly(heldFrom position: UInt64) throws -> Gate {
        let gate = try Gate()
        serveSlowly("/a") { request, reply in
            let start = request["Range"].flatMap { UInt64($0.drop { $0 != "=" }.dropFirst().prefix { $0 != "-" }) } ?? 0
            guard start < position else { return reply.headHeld(until: gate) }
            return reply.stalled(afterBytes: position - start, until: gate)
        }
        return gate
    }

    /// One that splits what is this small.
    func splitDownloader(_ change: (inout DownloaderConfiguration) -> Void = { _ in }) throws -> Downloader {
        try downloader { configuration in
            configuration.split.minimumRemaining = .milliseconds(50)
            configuration.split.minimumRemainingBytes = 500_000
            configuration.split.minimumPieceBytes = 200_000
            configuration.split.measuringTime = .milliseconds(100)
            configuration.split.pieceTime = .milliseconds(500)
            change(&configuration)
        }
    }

    func expectContent(_ caller: RecordingCaller) async throws {
        #expect(try await contentDifference(content.bytes(), caller.bytes()) == nil)
        #expect(try await caller.answer().file?.digest == digest)
    }

    /// Nothing of what a test of split downloads says is shown by one that wasn't split.
    func expectSplit(_ path: String = "/a", atLeast count: Int = 3) {
        #expect(server.simultaneousRequests(path) >= count, "it was to be split")
    }

    func ranges(_ path: String = "/a") -> [String] {
        server.exchanges(path).compactMap { $0.request["Range"] }
    }

    func waitUntilSplit(_ caller: RecordingCaller, atBytes bytes: Int64 = 2_500_000) async throws {
        try await server.wait(for: "several connections") { log in
            Set(log.map(\.request.connection)).count >= 3 ? () : nil
        }
        try await caller.waitForBytes(bytes)
    }
}
