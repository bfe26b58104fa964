import FaultServer
import TestSupport
import Testing

@testable import Transfer

/// A caller says how many bytes it will take; the count is kept while reading.
@Suite struct BodyBudgetTests {
    private let server: FaultServer
    private let session = Session()

    init() throws {
        server = try FaultServer()
        server.serve("/a", Resource(.pattern(lengthBytes: 100_000, seed: 1)))
        server.serve("/long", Resource(.pattern(lengthBytes: 300_000_000, seed: 1)))
    }

    @Test func aBodyOfExactlyTheBudgetFits() async throws {
        for framing in Framing.allCases {
            server.script("/a", [.altered(framing.apply)])
            let (outcome, seen) = try await session.get(server.url("/a")) { $0.bodyBudgetBytes = 100_000 }
            #expect(outcome.summary == "200")
            #expect(seen.body.count == 100_000)
        }
    }

    @Test func aDeclaredLengthOverTheBudgetIsRefusedBeforeTheFirstByte() async throws {
        let (outcome, seen) = try await session.get(server.url("/long")) { $0.bodyBudgetBytes = 99_999 }
        #expect(outcome.summary == "overBudget 99999")
        #expect(seen.body.isEmpty)
        #expect(outcome.receivedBytes == 0)
    }

    @Test(arguments: [Framing.chunked, .untilClose])
    func aBodyWithoutALengthIsCutWhileReading(_ framing: Framing) async throws {
        server.script("/long", [.altered(framing.apply)])
        let (outcome, seen) = try await session.get(server.url("/long")) { $0.bodyBudgetBytes = 500_000 }
        #expect(outcome.summary == "overBudget 500000")
        #expect(seen.body.count <= 500_000)
        #expect(outcome.receivedBytes < 600_000)
        #expect(try await server.waitForEnd("/long").end == .peerClosed)
    }

    @Test func aBudgetOfNothingTakesAnEmptyBody() async throws {
        server.serve("/empty", Resource(.empty))
        for (path, summary) in [("/empty", "200"), ("/a", "overBudget 0")] {
            let (outcome, _) = try await session.get(server.url(path)) { $0.bodyBudgetBytes = 0 }
            #expect(outcome.summary == summary)
        }
    }

    @Test func theBodiesOfRedirectsAreNotTheCallers() async throws {
        server.serve("/r", always: .redirect(to: "/a").body(.pattern(lengthBytes: 5000, seed: 1)))
        let (outcome, _) = try await session.get(server.url("/r")) { $0.bodyBudgetBytes = 100_000 }
        #expect(outcome.summary == "200")
    }
}
