import FaultServer
import Glibc
import TestSupport
import Testing

/// What `larder refresh` takes for fresh, and what it tells of that.
@Suite struct RefreshFreshnessTests {
    private let stock: Stock
    private let clock: MovedClock
    private let content = Content.pattern(lengthBytes: 1000, seed: 1)
    private let other = Content.pattern(lengthBytes: 1000, seed: 2)

    init() async throws {
        stock = try Stock()
        clock = try await MovedClock(in: stock.directory)
    }

    private func refresh(_ more: [String] = [], daysLater: Int) async throws -> ChildProcess.Result {
        try await LarderProgram.run(
            stock.refreshArguments(more), environment: clock.environment(movedBy: .seconds(86_400 * daysLater)))
    }

    /// Whether a run that is held back, by a window of a minute half a day away, complains.
    private func isOverdue(_ more: [String] = [], daysLater: Int) async throws -> Bool {
        var now = time(nil)
        var fields = tm()
        gmtime_r(&now, &fields)
        let hour = (Int(fields.tm_hour) + 12) % 24
        let text = hour < 10 ? "0\(hour)" : "\(hour)"
        let result = try await refresh(
            more + ["--max-age", "2d", "--window", "\(text):00-\(text):01"], daysLater: daysLater)
        #expect(result.status == .exited(3) || result.problems.count == 1, "\(result)")
        return result.status == .exited(1)
    }

    @Test func whoAsksForAPartIsUpToDateWithThat() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        for day in [0, 3] {
            #expect(try await refresh(["--only", "a"], daysLater: day).status == .exited(0))
        }
        #expect(try await !isOverdue(["--only", "a"], daysLater: 4))
        #expect(try await isOverdue(["--only", "a"], daysLater: 6))
    }

    @Test func whatIsNotRequiredKeepsNobodyFromBeingUpToDate() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other, more: #""required": false,"#)])
        stock.server.serve("/b.bin", always: .errorPage(404))
        for day in [0, 3] { #expect(try await refresh(daysLater: day).status == .exited(0)) }
        #expect(try await !isOverdue(daysLater: 4))
        #expect(try await isOverdue(daysLater: 6))
    }

    @Test func aLibraryThatNeverWasUpToDateIsOverdueSinceItsFirstRun() async throws {
        #expect(try await refresh(daysLater: 0).status == .exited(66))
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

    @Test func ofABundleThatIsNotListedAnyMoreNothingIsTold() async throws {
        let path = stock.directory["larder.prom"]
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        stock.server.script("/b.bin", [.reply(.errorPage(404))])
        #expect(try await stock.refresh("--metrics", path).status == .exited(2))
        #expect(String(decoding: try readFile(path), as: UTF8.self).contains(#"bundle="b""#))
        stock.serveManifest([stock.file("a", content)], serial: 2)
        #expect(try await stock.refresh("--metrics", path).status == .exited(0))
        #expect(!String(decoding: try readFile(path), as: UTF8.self).contains(#"bundle="b""#))
    }

    @Test func aManifestThatIsNamedTwiceIsMeasuredOnce() async throws {
        let path = stock.directory["larder.prom"]
        stock.serveManifest([stock.file("a", content)])
        #expect(try await stock.refresh().status == .exited(0))
        let twice = try await stock.refresh(
            "--metrics", path, manifests: [stock.manifestURL, stock.manifestURL])
        #expect(twice.status == .exited(65), "\(twice)")
        let lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
        #expect(Set(lines).count == lines.count, "\(lines)")
    }
}
