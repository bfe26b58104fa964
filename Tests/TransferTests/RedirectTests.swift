import FaultServer
import TestSupport
import Testing

@testable import Transfer

/// Redirects over the wire: where they lead, what is sent there, and when they are the answer themselves.
@Suite struct RedirectTests {
    private let server: FaultServer
    private let other: FaultServer
    private let session = Session()

    init() throws {
        server = try FaultServer()
        other = try FaultServer()
        for (server, text) in [(server, "here"), (other, "there")] { server.serve("/end", Resource(.text(text))) }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func followsToTheEnd(_ status: Int) async throws {
        server.serve("/a", always: .redirect(status, to: "/b"))
        server.serve("/b", always: .redirect(status, to: other.url("/end?x=1#part")))
        let (outcome, seen) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "200")
        #expect(seen.body == Array("there".utf8))
        #expect(seen.responses.map(\.redirectCount) == [2])
        #expect(seen.responses.first?.url.text == other.url("/end?x=1"))
        #expect(outcome.requestCount == 3)
        #expect(outcome.receivedBytes > 5, "the bodies of the redirects came over the wire, too")
    }

    @Test func redirectRefused() async throws {
        server.serve("/a", always: .redirect(307, to: "/end"))
        for policy in [RedirectPolicy.refuse, .follow(limit: 0), .sameOrigin(limit: 0)] {
            let (outcome, seen) = try await session.get(server.url("/a")) { $0.redirects = policy }
            #expect(outcome.summary == "redirectRefused 307")
            #expect(seen.responses.isEmpty)
            #expect(seen.body.isEmpty)
        }
        #expect(server.exchanges("/end").isEmpty)
    }

    @Test func countsHowOften() async throws {
        server.serve("/loop", always: .redirect(302, to: "/loop"))
        let (outcome, _) = try await session.get(server.url("/loop")) { $0.redirects = .follow(limit: 4) }
        #expect(outcome.summary == "redirectRefused 302")
        #expect(outcome.requestCount == 5)
        #expect(outcome.message.contains("more than 4"))
    }

    @Test func staysWithinTheOriginWhereAsked() async throws {
        server.serve("/a", always: .redirect(302, to: "/end"))
        server.serve("/away", always: .redirect(302, to: other.url("/end")))
        server.serve("/name", always: .redirect(302, to: server.url("/end", host: "localhost")))
        let policy = RedirectPolicy.sameOrigin(limit: 3)
        for (path, summary) in [("/a", "200"), ("/away", "redirectRefused 302"), ("/name", "redirectRefused 302")] {
            let (outcome, _) = try await session.get(server.url(path)) { $0.redirects = policy }
            #expect(outcome.summary == summary)
        }
        #expect(other.log.isEmpty)
    }

    @Test func credentialsTravelNowhere() async throws {
        server.serve("/same", always: .redirect(302, to: "/end"))
        server.serve("/away", always: .redirect(302, to: other.url("/end")))
        server.serve("/name", always: .redirect(302, to: server.url("/end", host: "localhost")))
        let session = Session { $0.headers = ["X-Configured": "secret"] }
        for path in ["/same", "/name", "/away"] {
            let (outcome, _) = try await session.get(server.url(path)) {
                $0.headers = ["Authorization": "Bearer secret", "Cookie": "id=secret", "X-Own": "secret"]
            }
            #expect(outcome.summary == "200")
        }
        let withSecrets = server.exchanges("/end")[0].request
        #expect(withSecrets["Authorization"] == "Bearer secret")
        #expect(withSecrets["X-Configured"] == "secret")
        for request in [server.exchanges("/end")[1].request, other.log[0].request] {
            #expect(!request.headers.fields.contains { $0.value.contains("secret") }, "\(request)")
        }
    }

    @Test func credentialsInAURLTravelNowhere() async throws {
        server.serve("/away", always: .redirect(302, to: other.url("/end")))
        server.serve("/same", always: .redirect(302, to: "/end"))
        let origin = "http://user:secret@127.0.0.1:\(server.port)"
        server.serve("/whole", always: .redirect(302, to: server.url("/end")))
        server.serve("/other", always: .redirect(302, to: "http://you:too@127.0.0.1:\(server.port)/end"))
        for path in ["/away", "/same", "/whole", "/other"] { _ = try await session.get(origin + path) }
        #expect(server.exchanges("/away")[0].request["Authorization"] != nil)
        #expect(other.log[0].request["Authorization"] == nil)
        let logins = server.exchanges("/end").map { $0.request["Authorization"] }
        let asked = server.exchanges("/same")[0].request["Authorization"]
        #expect(asked != nil && logins[..<2] == [asked, asked], "also where the location names the host again")
        #expect(logins.count == 3 && logins[2] != asked, "unless it brings another login")
    }

    @Test func theRangeGoesAlong() async throws {
        server.serve("/away", always: .redirect(302, to: other.url("/end")))
        let (outcome, seen) = try await session.get(server.url("/away")) {
            $0.offsetBytes = 2
            $0.ifRange = "\"v1\""
        }
        #expect(outcome.summary == "206")
        #expect(seen.body == Array("ere".utf8))
        #expect(other.log[0].request["If-Range"] == "\"v1\"")
    }

    @Test(arguments: ["ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://x/", "http://exa mple/", "https://"])
    func goesNowhereItMayNot(_ location: String) async throws {
        server.serve("/a", always: .redirect(302, to: location))
        let (outcome, _) = try await session.get(server.url("/a"))
        #expect(outcome.summary == "redirectRefused 302", "\(outcome.message)")
    }

    @Test func aRedirectWithoutALocationIsRefused() async throws {
        server.serve("/a", always: .errorPage(302))
        #expect(try await session.get(server.url("/a")).outcome.summary == "redirectRefused 302")
    }

    @Test(arguments: [300, 304, 305])
    func aStatusThatIsNoRedirectIsAnOrdinaryReply(_ status: Int) async throws {
        server.serve("/a", always: .status(status, ["Location": "/end"]))
        #expect(try await session.get(server.url("/a")).outcome.summary == "\(status)")
    }

    @Test func theBodyOfARedirectIsNeitherAwaitedNorReadForEver() async throws {
        let session = Session { $0.idleTimeout = .seconds(1) }
        server.script(
            "/a",
            [
                .reply(.redirect(302, to: "/end").body(.pattern(lengthBytes: 50_000_000, seed: 1))),
                .reply(.redirect(302, to: "/end").body(.pattern(lengthBytes: 5000, seed: 1)).stalled(afterBytes: 10)),
                .reply(
                    .redirect(302, to: "/end").body(.pattern(lengthBytes: 5000, seed: 1)).cut(afterBytes: 10, .reset)),
            ])
        for _ in 0..<3 {
            let (outcome, seen) = try await session.get(server.url("/a"))
            #expect(outcome.summary == "200")
            #expect(seen.body == Array("here".utf8))
        }
        #expect(server.exchanges("/a")[0].bodyBytesSent < 10_000_000)
    }

    @Test func aRedirectWhoseBodyDripsIsFollowedAllTheSame() async throws {
        let dripping = Reply.redirect(302, to: "/end").body(.pattern(lengthBytes: 5000, seed: 1))
        server.script("/a", [.reply(dripping.paced(bytesPerSecond: 20))])
        #expect(try await session.get(server.url("/a")).seen.body == Array("here".utf8))
        #expect(try await server.waitForEnd("/a").end == .peerClosed)
    }
}
