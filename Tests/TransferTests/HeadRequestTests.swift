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

    /// What it says of a length is of another reply's body.
    @Test(arguments: ["HEAD", "304"]) func whatHasNoBodyLeavesTheConnectionAsItWas(_ kind: String) async throws {
        let server = try FaultServer()
        server.serve(
            "/a",
            Resource(.pattern(lengthBytes: 1 << 30, seed: 1)).altered {
                $1.status == 304 ? $1.declaring(contentLength: 1 << 30) : $1
            })
        let session = Session()
        for _ in 0..<3 {
            let (outcome, _) = try await session.get(server.url("/a"), RecordingConsumer(.ignoreBody)) {
                if kind == "HEAD" { $0.method = .head } else { $0.headers = ["If-None-Match": "\"v1\""] }
            }
            #expect(outcome.summary == (kind == "HEAD" ? "200" : "304"))
        }
        #expect(Set(server.log.map(\.request.connection)).count == 1)
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
