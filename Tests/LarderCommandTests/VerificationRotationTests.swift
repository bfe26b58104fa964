import FaultServer
import Glibc
import Jobs
import Platform
import TestSupport
import Testing

/// `larder verify --budget`: what was looked at longest ago comes first, and every run gets further.
@Suite struct VerificationRotationTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }
    private let clock = SteppedClock()

    init() throws { library = try RestingLibrary() }

    private func publish(_ bundles: [String]) async throws {
        stock.serveManifest(bundles)
        #expect(try await stock.sync().status == .exited(0))
    }

    /// Verifies by a clock on which each content takes ten minutes.
    /// - Returns: the report, and the bundles that were read to their ends.
    private func verify(budget: Duration) async throws -> (report: VerifyRun.Report, bundles: [String]) {
        var options = VerifyOptions(libraryPath: stock.library)
        options.budget = budget
        options.clock = clock.clock
        let seen = Locked<[String]>([])
        let (report, exit) = await VerifyRun(options, control: RunControl()) { [clock] event in
            guard case .contentVerified = event.kind, let bundle = event.bundle else { return }
            seen.withLock { $0.append(bundle) }
            clock.pass(.seconds(600))
        }.run()
        let told = try #require(report)
        #expect(told.exit == exit)
        return (told, seen.withLock { $0 })
    }

    @Test func runsWithABudgetGetRound() async throws {
        try await publish(
            ["a", "b", "c", "d", "e"].map { library.files($0, ["x": .pattern(lengthBytes: 10, seed: 1)]) })
        let first = try await verify(budget: .seconds(900))
        #expect(first.bundles == ["a", "b"] && first.report.exit == .paused && first.report.remaining == 3)
        #expect(try await verify(budget: .seconds(900)).bundles == ["c", "d"])
        #expect(try await verify(budget: .seconds(1500)).bundles == ["e", "a", "b"])
        let all = try await verify(budget: .seconds(36_000))
        #expect(all.bundles == ["c", "d", "e", "a", "b"] && all.report.exit == .success)
    }

    @Test func damageIsToldEvenWhereTheBudgetEnds() async throws {
        try await publish(["a", "b"].map { library.files($0, ["x": .pattern(lengthBytes: 10, seed: 1)]) })
        try library.flip("\(library.store("a"))/x")
        let first = try await verify(budget: .seconds(300))
        #expect(first.bundles == ["a"] && first.report.remaining == 1 && first.report.exit == .failure)
        // Nor is it forgotten by a run that doesn't come to it.
        let second = try await verify(budget: .seconds(300))
        #expect(second.bundles == ["b"] && second.report.exit == .failure)
    }

    /// A content that takes longer than any budget is gone on with where the last run had come to.
    @Test func oneLargeContentIsReadInParts() async throws {
        let contents = (0..<600).map { ("\($0)", Content.pattern(lengthBytes: 20, seed: UInt64($0))) }
        try await publish([library.files("large", Dictionary(uniqueKeysWithValues: contents))])
        // The first in the order of the paths, and one of the last.
        for path in ["0", "99"] { try library.flip("\(library.store("large"))/\(path)") }
        let ticking = SteppedClock()
        var options = VerifyOptions(libraryPath: stock.library)
        options.budget = .seconds(50)
        options.clock = ticking.clock
        options.clock.uptime = {
            ticking.pass(.seconds(60))
            return ticking.clock.uptime()
        }
        var files: [Int] = []
        var remaining: [Int] = []
        for _ in 0..<3 {
            let report = await VerifyRun(options, control: RunControl()) { _ in }.run().report
            files.append(report?.files ?? 0)
            remaining.append(report?.remaining ?? 0)
            #expect(report?.damaged.count == 1)
        }
        #expect(files == [256, 256, 88] && remaining == [1, 1, 0])
        let again = await VerifyRun(options, control: RunControl()) { _ in }.run().report
        #expect(again?.files == 256, "and then from its beginning")
    }
}
