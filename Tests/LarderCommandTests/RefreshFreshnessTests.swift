import FaultServer
import Glibc
import TestSupport
import Testing

/// What `larder refresh` takes for fresh, and what it tells of that.
@Suite struct RefreshFreshnessTests {
    private let stage: RefreshStage
    private let content = Content.pattern(lengthBytes: 1000, seed: 1)
    private let other = Content.pattern(lengthBytes: 1000, seed: 2)

    init() async throws {
        stage = try await RefreshStage()
    }

    private var stock: Stock { stage.stock }

    /// Whether a run that is held back, by a window of a minute half a day away, complains.
    private func isOverdue(_ more: [String] = [], daysLater: Int) async throws -> Bool {
        var now = time(nil)
        var fields = tm()
        gmtime_r(&now, &fields)
        let hour = (Int(fields.tm_hour) + 12) % 24
        let text = hour < 10 ? "0\(hour)" : "\(hour)"
        let result = try await stage.refresh(
            more + ["--max-age", "2d", "--window", "\(text):00-\(text):01"], after: .days(daysLater))
        #expect(result.status == .exited(3) || result.problems.count == 1, "\(result)")
        return result.status == .exited(1)
    }

    @Test func whoAsksForAPartIsUpToDateWithThat() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        for day in [0, 3] {
            #expect(try await stage.refresh(["--only", "a"], after: .days(day)).status == .exited(0))
        }
        #expect(try await !isOverdue(["--only", "a"], daysLater: 4))
        #expect(try await isOverdue(["--only", "a"], daysLater: 6))
    }

    @Test func whatIsNotRequiredKeepsNobodyFromBeingUpToDate() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other, more: #""required": false,"#)])
        stock.server.serve("/b.bin", always: .errorPage(404))
        for day in [0, 3] { #expect(try await stage.refresh(after: .days(day)).status == .exited(0)) }
        #expect(try await !isOverdue(daysLater: 4))
        #expect(try await isOverdue(daysLater: 6))
    }

    @Test func aLibraryThatNeverWasUpToDateIsOverdueSinceItsFirstRun() async throws {
        #expect(try await stage.refresh(after: .days(0)).status == .exited(66))
        #expect(try await !isOverdue(daysLater: 1))
        #expect(try await isOverdue(daysLater: 3))
    }

    @Test func aBundleThatIsMissingInTheGenerationIsNoticedAlthoughTheManifestDidNotChange() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        #expect(try await stock.refresh().status == .exited(0))
        try #require(unlink("\(stock.library)/current/m/a") == 0)
        #expect(try await stock.refresh().status == .exited(0))
        #expect(try stock.difference("a", content) == nil && stock.difference("b", other) == nil)
    }
}
