import FaultServer
import TestSupport
import Testing

@testable import Transfer

/// Back-pressure and rate limits: what holds the network side up.
@Suite struct FlowControlTests {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.serve("/long", Resource(.pattern(lengthBytes: 64_000_000, seed: 1)))
        server.serve("/a", Resource(.pattern(lengthBytes: 200_000, seed: 2)))
        server.serve("/b", Resource(.pattern(lengthBytes: 200_000, seed: 3)))
    }

    @Test func aConsumerThatBlocksHoldsTheServerUp() async throws {
        let session = Session()
        let gate = try Gate()
        let consumer = RecordingConsumer { _ in block(at: gate) }
        session.start(TransferRequest(url: try TransferURL(server.url("/long"))), consumer: consumer)
        try await server.waitUntilSent("/long", bytes: 2_000_000)
        // All of it would take a tenth of a second.
        await #expect(throws: WaitTimedOut.self) {
            try await server.waitUntilSent("/long", bytes: 24_000_000, within: .seconds(1))
        }
        #expect(consumer.seen.now.body.isEmpty)
        gate.open()
        #expect(try await consumer.outcome().summary == "200")
        #expect(consumer.seen.now.body.count == 64_000_000)
    }

    @Test func aRateLimitIsKept() async throws {
        let session = Session { $0.rateLimitBytesPerSecond = 200_000 }
        var outcome: TransferOutcome?
        let elapsed = try await ContinuousClock().measure {
            outcome = try await session.get(server.url("/a")).outcome
        }
        #expect(outcome?.summary == "200")
        #expect(elapsed > .milliseconds(800))
    }

    @Test func aPieceRefusedAfterAPauseEndsTheExchange() async throws {
        let session = Session {
            $0.rateLimitBytesPerSecond = 200_000
            $0.idleTimeout = .seconds(2)
        }
        // The last piece, which goes over the budget, waits for its turn as all do; then nothing follows that could fail.
        server.script("/a", [.altered { $0.chunked().stalled(afterBytes: 100_000) }])
        let (outcome, seen) = try await session.get(server.url("/a")) { $0.bodyBudgetBytes = 99_999 }
        #expect(outcome.summary == "overBudget 99999")
        #expect(seen.body.count < 100_000)
    }

    @Test func withoutCreditAllStandStillAndItIsToldOnce() async throws {
        let told = Watched(0)
        let credit = ByteCredit(bytes: 300_000) { told.update { $0 += 1 } }
        let session = Session(configuration: SessionConfiguration(), credit: credit)
        let consumers = [RecordingConsumer(), RecordingConsumer()]
        for consumer in consumers {
            session.start(TransferRequest(url: try TransferURL(server.url("/long"))), consumer: consumer)
        }
        try await told.wait(for: "the end of the credit") { $0 > 0 ? () : nil }
        // The loop looks at its exchanges in between, and must not go on with any.
        await #expect(throws: WaitTimedOut.self) {
            try await told.wait(for: "another word of it", within: .milliseconds(500)) { $0 > 1 ? () : nil }
        }
        await session.invalidate()
        #expect(told.now == 1)
        for consumer in consumers { #expect(try await consumer.outcome().summary == "cancelled") }
        #expect(consumers.reduce(0) { $0 + $1.seen.now.body.count } <= 300_000)
    }

    /// What is reserved is nobody else's, and whoever it is for goes on where others stand still; but for no byte more than that.
    @Test(arguments: [200_000, 150_000]) func whatIsReservedIsForOneAlone(bytes: Int64) async throws {
        let told = Watched(0)
        let credit = ByteCredit(bytes: 300_000) { told.update { $0 += 1 } }
        let session = Session(configuration: SessionConfiguration(), credit: credit)
        let share = credit.makeShare()
        #expect(share.reserve(400_000) == 300_000)
        #expect(share.reserve(bytes) == nil)
        let greedy = RecordingConsumer()
        session.start(TransferRequest(url: try TransferURL(server.url("/long"))), consumer: greedy)
        // Of what is free no piece is left that would be worth anything.
        try await greedy.seen.wait(for: "all that is free") { $0.body.count > 300_000 - Int(bytes) - 32_768 ? () : nil }
        #expect(told.now == 0)
        var request = TransferRequest(url: try TransferURL(server.url("/a")))
        request.creditShare = share
        let consumer = RecordingConsumer()
        session.start(request, consumer: consumer)
        try await told.wait(for: "the end of the credit") { $0 > 0 ? () : nil }
        await session.invalidate()
        #expect(try await consumer.outcome().summary == (bytes == 200_000 ? "200" : "cancelled"))
        #expect(greedy.seen.now.body.count <= 300_000 - Int(bytes))
        #expect(consumer.seen.now.body.count <= bytes + 16_384)
    }

    @Test func aRateLimitIsForAllTogetherAndFair() async throws {
        let session = Session { $0.rateLimitBytesPerSecond = 400_000 }
        let consumers = [RecordingConsumer(), RecordingConsumer()]
        let elapsed = try await ContinuousClock().measure {
            for (path, consumer) in zip(["/a", "/b"], consumers) {
                session.start(TransferRequest(url: try TransferURL(server.url(path))), consumer: consumer)
            }
            async let first = consumers[0].outcome()
            let second = try await consumers[1].outcome()
            #expect(try await [first.summary, second.summary] == ["200", "200"])
        }
        #expect(elapsed > .milliseconds(800))
    }

    @Test func nobodyStarvesUnderARateLimit() async throws {
        let session = Session { $0.rateLimitBytesPerSecond = 600_000 }
        let totals = Watched<[Int]>(Array(repeating: 0, count: 6))
        /// What each had by the time that the slowest had its first 60 KB.
        let fair = Watched<[Int]?>(nil)
        for index in 0..<6 {
            let consumer = RecordingConsumer { piece in
                let count = piece.count
                let now = totals.update { totals in
                    totals[index] += count
                    return totals
                }
                if now.allSatisfy({ $0 >= 60_000 }) { fair.update { $0 = $0 ?? now } }
            }
            session.start(TransferRequest(url: try TransferURL(server.url("/long"))), consumer: consumer)
        }
        // Who is never served would be waited for in vain.
        let had = try await fair.wait(for: "60 KB for each") { $0 }
        #expect(had.max() ?? 0 < 500_000, "\(had)")
        await session.invalidate()
    }

    @Test func aRateLimitChangesLive() async throws {
        let session = Session { $0.rateLimitBytesPerSecond = 1000 }
        let consumer = RecordingConsumer()
        session.start(TransferRequest(url: try TransferURL(server.url("/long"))), consumer: consumer)
        try await consumer.waitForBytes(1)
        session.setRateLimit(bytesPerSecond: nil)
        #expect(try await consumer.outcome().summary == "200")
        session.setRateLimit(bytesPerSecond: 100_000)
        let elapsed = try await ContinuousClock().measure { _ = try await session.get(server.url("/a")) }
        #expect(elapsed > .milliseconds(1500))
    }

    @Test func theBucketNeverHoldsMoreThanABurst() {
        var now = SuspendingClock.now
        var limiter = RateLimiter(bytesPerSecond: 1_000_000, now: now)
        var allowed = limiter.allows(at: now)
        #expect(allowed)
        now += .seconds(3600)
        allowed = limiter.allows(at: now)
        #expect(allowed)
        limiter.take(100_000)
        allowed = limiter.allows(at: now)
        #expect(!allowed)
        #expect(limiter.wait > .zero)
        now += limiter.wait
        allowed = limiter.allows(at: now)
        #expect(allowed)
        limiter.take(500_000)
        allowed = limiter.allows(at: now + .milliseconds(400))
        #expect(!allowed)
        allowed = limiter.allows(at: now + .milliseconds(600))
        #expect(allowed)
        limiter.bytesPerSecond = nil
        limiter.take(1 << 40)
        allowed = limiter.allows(at: now)
        #expect(allowed)
        #expect(limiter.wait == .zero)
    }
}
