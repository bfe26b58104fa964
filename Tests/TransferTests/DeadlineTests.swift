import FaultServer
import TestSupport
import Testing

@testable import Transfer

/// Connect, idle and whole-exchange deadlines, and the minimum rate.
@Suite struct DeadlineTests {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.serve("/a", Resource(.pattern(lengthBytes: 60_000, seed: 1)))
    }

    @Test func silenceInTheBody() async throws {
        let session = Session { $0.idleTimeout = .milliseconds(300) }
        server.script("/a", [.altered { $0.stalled(afterBytes: 20_000) }])
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "timedOut idle")
        #expect(seen.body.count == 20_000, "what had come is handed over")
        #expect(try await server.waitForEnd("/a").end == .peerClosed)
    }

    @Test func silenceBeforeTheHead() async throws {
        let session = Session { $0.idleTimeout = .milliseconds(300) }
        let gate = try Gate()
        server.script("/a", [.altered { $0.headHeld(until: gate) }])
        #expect(try await session.get(server.url("/a")).outcome.summary == "timedOut idle")
    }

    @Test func aSlowBodyIsNoSilence() async throws {
        let session = Session { $0.idleTimeout = .milliseconds(400) }
        server.script("/a", [.altered { $0.paced(bytesPerSecond: 60_000) }])
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "200")
        #expect(seen.body.count == 60_000)
    }

    @Test func tooSlowABody() async throws {
        let session = Session {
            $0.idleTimeout = .milliseconds(300)
            $0.minimumBytesPerSecond = 200_000
        }
        server.script("/a", [.altered { $0.paced(bytesPerSecond: 30_000) }])
        #expect(try await session.get(server.url("/a")).outcome.summary == "timedOut minimumRate")
    }

    @Test func theWholeExchange() async throws {
        let session = Session { $0.transferTimeout = .milliseconds(300) }
        server.script("/a", [.altered { $0.paced(bytesPerSecond: 20_000) }])
        #expect(try await session.get(server.url("/a")).outcome.summary == "timedOut whole")
        server.serve("/r", always: .redirect(to: "/a"))
        server.script("/a", [.altered { $0.paced(bytesPerSecond: 20_000) }])
        #expect(try await session.get(server.url("/r")).outcome.summary == "timedOut whole", "redirects included")
    }

    @Test(arguments: [nil, 1000]) func aConnectionThatNeverStands(_ minimumBytesPerSecond: Int64?) async throws {
        // The kernel completes the connection, and then nobody says a word of TLS.
        let silent = try LoopbackListener()
        let session = Session {
            $0.connectTimeout = .milliseconds(500)
            $0.idleTimeout = .milliseconds(100)
            $0.minimumBytesPerSecond = minimumBytesPerSecond
        }
        let (outcome, _) = try await session.get("https://127.0.0.1:\(silent.port)/")
        #expect(outcome.summary == "timedOut connect", "while it connects, it is neither silent nor slow")
    }

    @Test func holdingBackIsNoSilenceOfTheServers() async throws {
        let session = Session { $0.idleTimeout = .milliseconds(300) }
        let gate = try Gate()
        server.serve("/long", Resource(.pattern(lengthBytes: 20_000_000, seed: 1)))
        let consumer = RecordingConsumer { _ in block(at: gate) }
        session.start(TransferRequest(url: try TransferURL(server.url("/long"))), consumer: consumer)
        // It holds back by the time another one, on a session of its own, has timed out.
        let other = Session { $0.idleTimeout = .milliseconds(900) }
        server.script("/a", [.altered { $0.stalled(afterBytes: 10) }])
        _ = try await other.get(server.url("/a"))
        gate.open()
        #expect(try await consumer.outcome().summary == "200")
    }
}
