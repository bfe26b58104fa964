import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

@testable import Transfer

/// Cancelling reaches the wire; a session that is done leaves nothing behind.
@Suite struct CancellationTests {
    private let server: FaultServer
    private let content = Content.pattern(lengthBytes: 1_000_000, seed: 1)

    init() throws {
        server = try FaultServer()
        server.serve("/a", Resource(content).altered { $1.stalled(afterBytes: 300_000) })
    }

    private func request(_ path: String = "/a") throws -> TransferRequest {
        TransferRequest(url: try TransferURL(server.url(path)))
    }

    @Test func aCancelReachesTheServer() async throws {
        let session = Session()
        let consumer = RecordingConsumer()
        let id = session.start(try request(), consumer: consumer)
        try await consumer.waitForBytes(300_000)
        session.cancel(id)
        #expect(try await consumer.outcome().summary == "cancelled")
        #expect(try await server.waitForEnd("/a").end == .peerClosed)
        #expect(contentDifference(content.bytes(count: 300_000), consumer.seen.now.body) == nil)
        session.cancel(id)
        await session.invalidate()
        #expect(consumer.seen.now.outcomes.count == 1)
    }

    @Test func aCancelBeforeAnythingHappened() async throws {
        let session = Session()
        let consumer = RecordingConsumer()
        session.cancel(session.start(try request(), consumer: consumer))
        #expect(try await consumer.outcome().summary == "cancelled")
        #expect(consumer.seen.now.body.isEmpty)
    }

    @Test func aCancelWhileHeldBack() async throws {
        let session = Session { $0.rateLimitBytesPerSecond = 1000 }
        let consumer = RecordingConsumer()
        let id = session.start(try request(), consumer: consumer)
        try await consumer.waitForBytes(1)
        session.cancel(id)
        #expect(try await consumer.outcome().summary == "cancelled")
        #expect(try await server.waitForEnd("/a").end == .peerClosed)
    }

    @Test func invalidatingTellsEveryoneOnceAndClosesEverything() async throws {
        let session = Session()
        server.serve("/done", Resource(.text("done")))
        _ = try await session.get(server.url("/done"))
        let consumers = (0..<8).map { _ in RecordingConsumer() }
        for consumer in consumers { session.start(try request(), consumer: consumer) }
        for consumer in consumers { try await consumer.waitForBytes(1) }
        async let again: Void = session.invalidate()
        await session.invalidate()
        await again
        #expect(consumers.map { $0.seen.now.outcomes.map(\.summary) } == Array(repeating: ["cancelled"], count: 8))
        try await server.waitForConnections(0)
    }

    @Test func aStartAfterTheEndIsCancelledOnAnotherThread() async throws {
        let session = Session()
        await session.invalidate()
        // Inside a lock that the answer needs, too: it must not come from within.
        let ended = Watched(false)
        let state = Locked(0)
        let consumer = CallingConsumer {
            state.withLock { $0 += 1 }
            ended.update { $0 = true }
        }
        let late = try request()
        state.withLock { _ in _ = session.start(late, consumer: consumer) }
        try await ended.wait(for: "the answer") { $0 ? () : nil }
        #expect(server.log.isEmpty)
    }

    @Test func nothingHoldsASessionThatIsDone() async throws {
        weak var loop: SessionLoop?
        weak var consumer: RecordingConsumer?
        do {
            let session = Session()
            let own = RecordingConsumer()
            (loop, consumer) = (session.loop, own)
            session.start(try request(), consumer: own)
            try await own.waitForBytes(1)
            await session.invalidate()
        }
        #expect(loop == nil)
        #expect(consumer == nil)
    }

    @Test func aSessionNobodyHoldsEnds() async throws {
        let consumer = RecordingConsumer()
        do {
            let session = Session()
            session.start(try request(), consumer: consumer)
            try await consumer.waitForBytes(1)
        }
        #expect(try await consumer.outcome().summary == "cancelled")
        try await server.waitForConnections(0)
    }
}

/// Calls back at the end, and nothing else.
private final class CallingConsumer: TransferConsumer {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    func receive(_ response: TransferResponse) -> ResponseDisposition { .ignoreBody }
    func receive(_ body: UnsafeRawBufferPointer) throws {}
    func finish(_ outcome: TransferOutcome) { onEnd() }
}
