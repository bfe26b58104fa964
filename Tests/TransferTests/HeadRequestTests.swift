import FaultServer
import TestSupport
import Testing

@testable import Transfer

@Suite struct HeadRequestTests {
    @Test func aRequestForTheHeadBringsItsFieldsAndNoBody() async throws {
        let server = try FaultServer()
        server.serve("/a", Resource(.pattern(lengthBytes: 1 << 30, seed: 1)))
        let session = Session()
        let (outcome, seen) = try await session.get(server.url("/a")) { $0.method = .head }
        #expect(outcome.summary == "200" && seen.body == [])
        #expect(seen.responses.first?.contentLengthBytes == 1 << 30)
        #expect(server.log.map(\.request.method) == ["HEAD"])
        await session.invalidate()
    }

    @Test func redirectsOfARequestForTheHeadAreFollowedByOthers() async throws {
        let server = try FaultServer()
        server.serve("/a", always: .redirect(to: "/b"))
        server.serve("/b", Resource(.text("b")))
        let session = Session()
        let (outcome, _) = try await session.get(server.url("/a")) { $0.method = .head }
        #expect(outcome.summary == "200" && outcome.requestCount == 2)
        #expect(server.log.map(\.request.method) == ["HEAD", "HEAD"])
        // The handle that asked for a head brings bodies again.
        #expect(try await session.get(server.url("/b")).seen.body == Array("b".utf8))
        await session.invalidate()
    }
}
