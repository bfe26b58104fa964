import FaultServer
import Platform
import TestSupport
import Testing

@testable import Transfer

/// What a session makes of replies: whole, cut, and such as are none.
@Suite struct SessionTests {
    private let server: FaultServer
    private let session = Session()
    private let content = Content.pattern(lengthBytes: 1_300_000, seed: 3)

    init() throws {
        server = try FaultServer()
        server.serve("/a", Resource(content))
    }

    @Test func bringsTheWholeReply() async throws {
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "200")
        #expect(contentDifference(content.bytes(), seen.body) == nil)
        #expect(outcome.receivedBytes == 1_300_000)
        #expect(outcome.requestCount == 1)
        let response = try #require(seen.responses.first)
        #expect(seen.responses.count == 1)
        #expect(response.contentLengthBytes == 1_300_000)
        #expect(response.strongEntityTag == "\"v1\"")
        #expect(response.framing == .length)
        #expect(response.redirectCount == 0)
        let request = try #require(server.log.first?.request)
        #expect(request["Accept-Encoding"] == "identity")
        #expect(request["User-Agent"] == "larder")
        #expect(request["Range"] == nil)
        #expect(request["Cookie"] == nil)
    }

    @Test func gathersLargePieces() async throws {
        let (_, seen) = try await session.get(server.url("/a"))
        #expect(seen.pieceSizes.allSatisfy { $0 <= BodyPipeline.pieceBytes })
        #expect(seen.pieceSizes.max() == BodyPipeline.pieceBytes)
    }

    @Test func asksForARangeAndItsCondition() async throws {
        let (outcome, seen) = try await session.get(server.url("/a")) {
            $0.offsetBytes = 1_299_000
            $0.ifRange = "\"v1\""
        }
        #expect(outcome.summary == "206")
        #expect(seen.body == content.bytes(at: 1_299_000))
        #expect(seen.responses.first?.contentRange??.positions == 1_299_000...1_299_999)
        #expect(server.log.first?.request["Range"] == "bytes=1299000-")
        #expect(server.log.first?.request["If-Range"] == "\"v1\"")
    }

    @Test func countsBeyondFourGiB() async throws {
        server.serve("/huge", Resource(.pattern(lengthBytes: 6 << 30, seed: 4)))
        let (outcome, seen) = try await session.get(server.url("/huge")) { $0.offsetBytes = 6 << 30 - 1000 }
        #expect(outcome.summary == "206")
        #expect(seen.body == Content.pattern(lengthBytes: 6 << 30, seed: 4).bytes(at: 6 << 30 - 1000))
    }

    @Test func sendsNoRangeForTheWhole() async throws {
        _ = try await session.get(server.url("/a")) { $0.ifRange = "\"v1\"" }
        #expect(server.log.first?.request["If-Range"] == nil)
    }

    @Test func keepsConnectionsForTheNextExchange() async throws {
        for _ in 0..<3 { _ = try await session.get(server.url("/a")) }
        #expect(Set(server.log.map(\.request.connection)) == [1])
    }

    @Test func keepsNoCookies() async throws {
        server.script("/a", [.altered { $0.header("Set-Cookie", "a=b; Path=/") }])
        _ = try await session.get(server.url("/a"))
        _ = try await session.get(server.url("/a"))
        #expect(server.log.last?.request["Cookie"] == nil)
    }

    @Test func sendsTheHeadersOfRequestAndConfiguration() async throws {
        let session = Session { $0.headers = ["X-All": "1", "X-Empty": "", "x-both": "general"] }
        _ = try await session.get(server.url("/a")) { $0.headers = ["Authorization": "Bearer t", "X-Both": "own"] }
        let request = try #require(server.log.first?.request)
        #expect(request["X-All"] == "1")
        #expect(request["X-Empty"] == "")
        #expect(request["Authorization"] == "Bearer t")
        #expect(request.headers.values(of: "X-Both") == ["own"], "what the request says itself is said once")
    }

    @Test func anErrorIsAReplyLikeAnyOther() async throws {
        let (outcome, seen) = try await session.get(server.url("/none"))
        #expect(outcome.summary == "404")
        #expect(!seen.body.isEmpty)
    }

    @Test func aHeadCanBeEnough() async throws {
        let (outcome, seen) = try await session.get(server.url("/a"), RecordingConsumer(.ignoreBody))
        #expect(outcome.summary == "200")
        #expect(seen.body.isEmpty)
        #expect(outcome.receivedBytes < 200_000, "a body that nobody wants is not read to its end")
    }

    @Test(arguments: [Reply.Ending.finish, .reset])
    func whatHappensBehindAHeadThatWasEnoughDoesNoHarm(_ ending: Reply.Ending) async throws {
        server.script("/a", [.altered { $0.cut(afterBytes: 100, ending) }])
        let (outcome, _) = try await session.get(server.url("/a"), RecordingConsumer(.ignoreBody))
        #expect(outcome.summary == "200")
    }

    @Test func silenceBehindAHeadThatWasEnoughDoesNoHarm() async throws {
        let session = Session { $0.idleTimeout = .seconds(1) }
        server.script("/a", [.altered { $0.stalled(afterBytes: 100) }])
        let (outcome, _) = try await session.get(server.url("/a"), RecordingConsumer(.ignoreBody))
        #expect(outcome.summary == "200")
    }

    @Test(arguments: [(Framing.length, BodyFraming.length), (.chunked, .delimited), (.untilClose, .close)])
    func knowsHowTheEndIsKnown(_ framing: Framing, _ expected: BodyFraming) async throws {
        server.script("/a", [.altered(framing.apply)])
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "200")
        #expect(seen.responses.first?.framing == expected)
        #expect((seen.responses.first?.contentLengthBytes == nil) == (expected != .length))
        #expect(contentDifference(content.bytes(), seen.body) == nil)
    }

    @Test(
        arguments: [
            (Framing.length, 700_000, Reply.Ending.finish), (.length, 700_000, .reset), (.chunked, 700_000, .finish),
            (.chunked, 1_300_000, .finish),
        ])
    func aCutBodyIsALostConnectionAndWhatCameIsHandedOver(
        _ framing: Framing, _ afterBytes: Int, _ ending: Reply.Ending
    ) async throws {
        server.script("/a", [.altered { framing.apply($0).cut(afterBytes: UInt64(afterBytes), ending) }])
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "connectionLost")
        #expect(seen.body.count == afterBytes)
        #expect(contentDifference(content.bytes(count: seen.body.count), seen.body) == nil)
        #expect(outcome.receivedBytes == seen.body.count)
    }

    @Test func anUnderstatedLengthIsAllThatIsTaken() async throws {
        server.script("/a", [.altered { $0.declaring(contentLength: 1000) }])
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "200")
        #expect(contentDifference(content.bytes(count: 1000), seen.body) == nil)
    }

    @Test(
        arguments: [
            ("", "connectionLost"), ("SSH-2.0-OpenSSH_9\r\n", "invalidResponse"), ("HTTP/1.1 ", "connectionLost"),
            ("HTTP/1.1 999 Odd\r\n\r\n", "invalidResponse"),
            ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "invalidResponse"),
            ("<html>no head</html>\n", "invalidResponse"),
        ])
    func whatIsNoHTTPIsNoReply(_ garbage: String, _ summary: String) async throws {
        server.script("/a", [.reply(.garbage(garbage))])
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == summary, "\(outcome.message)")
        #expect(seen.body.isEmpty)
    }

    @Test func aHeadHasAnEnd() async throws {
        let line = "X-Long: \(String(repeating: "y", count: 90))\r\n"
        server.script("/a", [.reply(.garbage("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 4000)))])
        #expect(try await session.get(server.url("/a")).outcome.summary == "invalidResponse")
    }

    @Test func passesInterimRepliesAndTrailers() async throws {
        let text =
            "HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"right\"\r\n\r\n"
            + "3\r\nabc\r\n0\r\nETag: \"late\"\r\nX-Late: 1\r\n\r\n"
        server.script("/a", [.reply(.garbage(text))])
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "200")
        #expect(seen.responses.map(\.status) == [200])
        #expect(seen.responses.first?.entityTag == "\"right\"")
        #expect(seen.responses.first?.headers["X-Late"] == nil)
        #expect(seen.body == Array("abc".utf8))
    }

    @Test func saysThatNobodyIsThere() async throws {
        let port = try LoopbackListener().port
        let (outcome, _) = try await session.get("http://127.0.0.1:\(port)/")
        #expect(outcome.summary == "unreachable")
        #expect(outcome.receivedBytes == 0)
    }

    /// Linux knows no way to connect to a multicast address, whatever its routes; and `invalid` is nobody's domain (RFC 6761).
    @Test(arguments: ["http://224.0.0.1/", "http://no-such-host.invalid/"])
    func tellsAMissingRouteFromAMissingServer(url: String) async throws {
        #expect(try await session.get(url).outcome.summary == "noRoute")
    }

    @Test func refusesSchemesThatAreNotAllowed() async throws {
        let (outcome, _) = try await session.get("file:///etc/passwd")
        #expect(outcome.summary == "unusableRequest")
        #expect(outcome.message.contains("'file'"))
    }

    @Test(arguments: [(-1, nil), (5, 5), (0, 0), (0, Int64.min)] as [(Int64, Int64?)])
    func refusesARangeThatCannotBe(offsetBytes: Int64, endBytes: Int64?) async throws {
        let (outcome, _) = try await session.get(server.url("/a")) {
            ($0.offsetBytes, $0.endBytes) = (offsetBytes, endBytes)
        }
        #expect(outcome.summary == "unusableRequest")
        #expect(server.exchanges("/a").isEmpty)
    }

    @Test func refusesWhatWouldBreakTheHead() async throws {
        let (outcome, _) = try await session.get(server.url("/a")) {
            $0.offsetBytes = 1
            $0.ifRange = "\"v1\"\r\nX-Other: 1"
        }
        #expect(outcome.summary == "unusableRequest")
        let other = Session { $0.userAgent = "a\r\nX-Other: 1" }
        #expect(try await other.get(server.url("/a")).outcome.summary == "unusableRequest")
        await other.invalidate()
        #expect(server.exchanges("/a").isEmpty)
    }

    @Test(arguments: ["Range", "accept-encoding", "Host", "Content-Length", "Expect"])
    func refusesAHeaderThatFramesTheRequest(_ name: String) async throws {
        let (outcome, _) = try await session.get(server.url("/a")) {
            $0.headers = ["If-None-Match": "\"v1\"", name: "x"]
        }
        #expect(outcome.summary == "unusableRequest" && outcome.message.contains(name), "\(outcome.message)")
        #expect(server.exchanges("/a").isEmpty)
    }

    @Test func refusesASettingWithoutShowingIt() async throws {
        let session = Session { $0.proxy = "socks7://user:secret@host:1" }
        let (outcome, _) = try await session.get(server.url("/a"))
        #expect(["unusableRequest", "unreachable"].contains(outcome.summary), "\(outcome.message)")
        #expect(!outcome.message.contains("secret"))
    }

    @Test func aConsumerThatFailsEndsTheExchange() async throws {
        struct Full: Error, CustomStringConvertible { let description = "no room" }
        let consumer = RecordingConsumer { _ in throw Full() }
        server.script("/a", [.altered { $0.stalled(afterBytes: 900_000) }])
        let (outcome, seen) = try await session.get(server.url("/a"), consumer)
        #expect(outcome.summary == "consumerFailed no room")
        #expect(seen.body.isEmpty)
        #expect(try await server.waitForEnd("/a").end == .peerClosed)
    }

    @Test func aConsumerThatFailsAtTheVeryEndFailsTheExchange() async throws {
        struct Late: Error {}
        server.serve("/small", Resource(.text("small")))
        let (outcome, _) = try await session.get(server.url("/small"), RecordingConsumer { _ in throw Late() })
        #expect(outcome.summary.hasPrefix("consumerFailed"))
    }
}
