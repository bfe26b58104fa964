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

    /// Lines for a head that takes as many times 20 ms.
    private static let manyFields = (0..<400).reduce(into: Headers()) { $0["X-Field-\($1)"] = "x" }

    @Test func aHeadThatDripsForEver() async throws {
        let session = Session { ($0.connectTimeout, $0.idleTimeout) = (.milliseconds(200), .milliseconds(200)) }
        let interim = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 200)
        let dripping: [Reply] = [
            .status(200, Self.manyFields), .redirect(to: "/a").changed { $0.headers.merge(Self.manyFields) },
            .garbage(interim),
        ]
        for reply in dripping {
            server.script("/a", [.reply(reply.headDripped(every: .milliseconds(20)))])
            #expect(try await session.get(server.url("/a")).outcome.summary == "timedOut head")
        }
        try await server.waitForConnections(0)
        #expect(server.exchanges("/a").allSatisfy { $0.end == .peerClosed })
    }

    @Test func aHeadThatComesSlowlyIsTaken() async throws {
        let session = Session { ($0.connectTimeout, $0.idleTimeout) = (.milliseconds(900), .milliseconds(900)) }
        let interim = Array("HTTP/1.1 102 Processing\r\n\r\n".utf8)
        let (head, body) = ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "ok")
        server.script(
            "/a",
            [
                .reply(
                    .garbage(String(decoding: interim, as: UTF8.self) + head + body).headDripped(
                        every: .milliseconds(50)))
            ])
        #expect(try await session.get(server.url("/a")).seen.body == Array("ok".utf8))
    }

    @Test func trailersThatDripForEver() async throws {
        let session = Session { ($0.connectTimeout, $0.idleTimeout) = (.milliseconds(400), .milliseconds(400)) }
        let trailers = String(repeating: "X-Trailer: x\r\n", count: 400)
        let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\(trailers)\r\n"
        server.script("/a", [.reply(.garbage(reply).headDripped(every: .milliseconds(20)))])
        #expect(try await session.get(server.url("/a")).outcome.summary == "timedOut idle")
    }

    @Test func aSlowBodyIsNoSilence() async throws {
        let session = Session { $0.idleTimeout = .milliseconds(900) }
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
