import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// When `larder refresh` works, and how much it may spend.
@Suite struct RefreshTermsTests {
    private let stage: RefreshStage
    private let content = Content.pattern(lengthBytes: 400_000, seed: 1)

    init() async throws {
        stage = try await RefreshStage()
        stock.serveManifest([stock.file("a", content)])
    }

    private var stock: Stock { stage.stock }

    // MARK: The window

    @Test(arguments: [
        ("01:00-05:00", "2026-12-01T00:59:00Z", false), ("01:00-05:00", "2026-12-01T01:00:05Z", true),
        ("01:00-05:00", "2026-12-01T05:00:05Z", false), ("22:00-04:00", "2026-12-01T23:30:00Z", true),
        ("22:00-04:00", "2026-12-02T03:30:00Z", true), ("22:00-04:00", "2026-12-02T12:00:00Z", false),
    ])
    func workIsDoneInItsWindowOnly(window: String, time: String, isTime: Bool) async throws {
        let result = try await stage.refresh(["--window", window], at: time)
        #expect(result.status == .exited(isTime ? 0 : 3), "\(result)")
        #expect(result.errors.isEmpty && result.output.isEmpty, "\(result)")
        #expect(stock.server.log.isEmpty != isTime)
    }

    @Test func theEndOfTheWindowPausesAndTheNextRunCarriesOn() async throws {
        stock.server.script("/a.bin", [.altered { $0.stalled(afterBytes: 300_000) }])
        let paused = try await stage.refresh(["--window", "01:00-02:00"], at: "2026-12-01T01:59:56Z")
        #expect(paused.status == .exited(3) && paused.errors.isEmpty, "\(paused)")
        let held = try stock.partialBytes()
        #expect(held > 0)
        let next = try await stage.refresh(["--window", "01:00-02:00"], at: "2026-12-02T01:30:00Z")
        #expect(next.status == .exited(0), "\(next)")
        #expect(stock.server.exchanges("/a.bin").last?.request["Range"] == "bytes=\(held)-")
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func whoWaitsForChanceCanBeStopped() async throws {
        let run = try LarderProgram.start(stock.refreshArguments(["--jitter", "365d", "--json"]))
        try await run.wait(for: "its start") { $0.events.first { $0.name == "run.started" }.map { _ in } }
        run.kill(SIGTERM)
        #expect(try await run.waitForExit(within: .seconds(4)).status == .exited(143))
        #expect(stock.server.log.isEmpty)
        #expect(try await stock.refresh("--jitter", "1s").status == .exited(0))
    }

    // MARK: Conditions

    @Test(arguments: [true, false])
    func unmetConditionsHoldARunBackInSilence(isTold: Bool) async throws {
        let interface = try #require(
            try DefaultRoutes.current().interfaceNames.first, "this test needs a default route")
        for condition in [["--not-over", "larder-none0,\(interface)"], ["--max-load", "0"]] {
            // A load of nothing at all is rare, and no failure.
            let result = try await LarderProgram.run(
                stock.refreshArguments(condition + (isTold ? ["--verbose"] : [])))
            guard result.status != .exited(0) || condition[0] == "--not-over" else { continue }
            #expect(result.status == .exited(3), "\(result)")
            #expect(result.problems.contains { $0.contains("not begun: ") } == isTold, "\(result)")
            #expect(stock.server.log.isEmpty)
        }
        let met = try await stock.refresh("--not-on-battery", "--not-over", "larder-none0", "--max-load", "1000000")
        #expect(met.status == .exited(0) && met.errors.isEmpty, "\(met)")
    }

    @Test func aLibraryThatWasHeldBackForTooLongIsAFailure() async throws {
        let early = ["--window", "01:00-02:00", "--max-age", "3d"]
        #expect(
            try await stage.refresh(early, at: "2026-12-01T12:00:00Z").status == .exited(3),
            "there is no library yet")
        #expect(try await stage.refresh(at: "2026-12-01T12:00:00Z").status == .exited(0))
        let young = try await stage.refresh(early, at: "2026-12-04T11:59:00Z")
        #expect(young.status == .exited(3) && young.errors.isEmpty, "\(young)")
        let old = try await stage.refresh(early, at: "2026-12-04T12:01:00Z")
        #expect(old.status == .exited(1) && old.problems.count == 1, "\(old)")
        #expect(old.errorText.contains("2026-12-01T12:00:0"), "\(old)")
    }

    @Test(arguments: [["--window", "01:00-02:00"], ["--max-load", "0"]])
    func aLibraryThatNeverCouldBeMadeIsOverdueSinceItWasFirstAskedFor(held: [String]) async throws {
        let options = held + ["--max-age", "3d"]
        let first = try await stage.refresh(options, at: "2026-12-01T12:00:00Z")
        // A load of nothing at all is rare, and holds nobody back.
        if first.status == .exited(0) { return }
        #expect(first.status == .exited(3) && first.errors.isEmpty, "\(first)")
        #expect(try await stage.refresh(options, at: "2026-12-04T11:59:00Z").status == .exited(3))
        let old = try await stage.refresh(options, at: "2026-12-04T12:01:00Z")
        #expect(old.status == .exited(1) && old.problems.count == 1, "\(old)")
        #expect(old.errorText.contains("2026-12-01T12:00:0"), "\(old)")
        #expect(stock.server.log.isEmpty)
    }

    @Test func nightsThatAllEndInAPauseAreAFailureAfterAWhile() async throws {
        let options = ["--max-bytes", "40K", "--max-age", "3d"]
        for day in 1...4 {
            let young = try await stage.refresh(options, at: "2026-12-0\(day)T12:00:00Z")
            #expect(young.status == .exited(3) && young.errors.isEmpty, "\(young)")
        }
        let old = try await stage.refresh(options, at: "2026-12-04T12:01:00Z")
        #expect(old.status == .exited(1) && old.problems.count == 1, "\(old)")
        #expect(try await stage.refresh(at: "2026-12-04T12:02:00Z").status == .exited(0))
        stock.serveManifest([stock.file("b", content)], serial: 2)
        let next = try await stage.refresh(options, at: "2026-12-05T12:00:00Z")
        #expect(next.status == .exited(3) && next.errors.isEmpty, "\(next)")
    }

    @Test func aRunThatIsStoppedTooOftenTellsHowOldTheLibraryIs() async throws {
        #expect(try await stage.refresh(at: "2026-12-01T12:00:00Z").status == .exited(0))
        let gate = try Gate()
        stock.serveManifest(
            [stock.file("b", content) { $0.altered { $1.headHeld(until: gate) } }], serial: 2)
        let run = try stage.start(["--max-age", "3d"], at: "2026-12-05T12:00:00Z")
        try await stock.server.waitForRequest("/b.bin")
        run.kill(SIGTERM)
        let result = try await run.waitForExit()
        gate.open()
        #expect(result.status == .exited(143) && result.problems.count == 1, "\(result)")
        #expect(result.errorText.contains("--max-age"), "\(result)")
    }

    /// A run that has the library, of what was up to date on the first, until the gate opens.
    private func holdLibrary() async throws -> (holder: ChildProcess, gate: Gate) {
        #expect(try await stage.refresh(at: "2026-12-01T12:00:00Z").status == .exited(0))
        let gate = try Gate()
        stock.serveManifest(
            [stock.file("b", content) { $0.altered { $1.headHeld(until: gate) } }], serial: 2)
        let holder = try LarderProgram.start(stock.refreshArguments())
        try await stock.server.waitForRequest("/b.bin")
        return (holder, gate)
    }

    @Test func aSkippedRunOfAnOldLibraryIsAFailure() async throws {
        let (holder, gate) = try await holdLibrary()
        let young = try await stage.refresh(["--lock", "skip", "--max-age", "3d"], at: "2026-12-03T12:00:00Z")
        #expect(young.status == .exited(0) && young.errors.isEmpty, "\(young)")
        let old = try await stage.refresh(["--lock", "skip", "--max-age", "3d"], at: "2026-12-05T12:00:00Z")
        #expect(old.status == .exited(1) && old.problems.count == 1, "\(old)")
        #expect(old.errorText.contains("--max-age") && old.errorText.contains("in use by another run"), "\(old)")
        gate.open()
        #expect(try await holder.waitForExit().status == .exited(0))
    }

    /// That something else is at work all the time makes nothing fresh, nor is it a reason to know nothing.
    @Test func aSkippedRunOfWhatNeverCameIsAFailureAfterAWhile() async throws {
        let (holder, gate) = try await holdLibrary()
        let manifests = [stock.manifestURL, stock.server.url("/never.json")]
        let options = ["--lock", "skip", "--max-age", "3d"]
        for (days, status) in [(0, 0), (4, 1)] {
            let skipped = try await stage.refresh(
                options, after: .days(days), manifests: [manifests[1]])
            #expect(skipped.status == .exited(Int32(status)), "\(skipped)")
        }
        let known = try await stage.refresh(options, after: .days(400), manifests: manifests)
        #expect(known.status == .exited(1) && known.errorText.contains("--max-age"), "\(known)")
        gate.open()
        #expect(try await holder.waitForExit().status == .exited(0))
    }

    // MARK: Bytes

    @Test func aFewBytesAreAsManyAsAreAskedFor() async throws {
        let small = Content.pattern(lengthBytes: 2000, seed: 4)
        stock.serveManifest([stock.file("s", small)])
        #expect(try await stock.refresh("--max-bytes", "8K").status == .exited(0))
        #expect(try stock.difference("s", small) == nil)
    }

    @Test func aMonthsBytesAreSpentByAllOfItsRuns() async throws {
        stock.server.serve("/a.bin", Resource(content).altered { $1.paced(bytesPerSecond: 1 << 20) })
        let first = try await stage.refresh(["--month-cap", "150K"], at: "2026-12-30T12:00:00Z")
        #expect(first.status == .exited(3) && first.errors.isEmpty, "\(first)")
        #expect(try stock.partialBytes() > 0)
        let requests = stock.server.log.count
        let second = try await stage.refresh(["--month-cap", "150K"], at: "2026-12-31T12:00:00Z")
        #expect(second.status == .exited(3) && second.errors.isEmpty, "\(second)")
        #expect(stock.server.log.count == requests, "nothing is left to spend")

        let next = try await stage.refresh(["--month-cap", "400K"], at: "2027-01-01T12:00:00Z")
        #expect(next.status == .exited(0), "\(next)")
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func aSpentMonthHoldsOnlyWhoWantsBytes() async throws {
        let local = try stock.directory.write("local file".utf8, to: "local.txt")
        let path = stock.directory["here.json"]
        let unproven = stock.file("c", .pattern(lengthBytes: 2_000, seed: 3), hasDigest: false)
        stock.serveManifest([stock.file("a", content), unproven])
        #expect(try await stock.refresh().status == .exited(0))
        // What is only asked about costs nothing.
        let unchanged = try await stock.refresh("--month-cap", "1")
        #expect(unchanged.status == .exited(0) && unchanged.errors.isEmpty, "\(unchanged)")
        #expect(stock.server.exchanges("/m.json").last?.status == 304)
        #expect(stock.server.exchanges("/c.bin").last?.status == 304)

        // Nor does what is on this machine.
        let file = #"{"id": "l", "kind": "files", "files": [{"path": "data", "urls": ["file://\#(local)"]}]}"#
        try writeFile(Array(Stock.manifest([file], id: "here").utf8), to: path)
        let copied = try await stock.refresh("--month-cap", "1", manifests: [path])
        #expect(copied.status == .exited(0), "\(copied)")
        #expect(try stock.published("here") == ["l"])

        let remote = #"{"id": "r", "kind": "ebook", "urls": ["\#(stock.server.url("/a.bin"))"], "size": 400000}"#
        try writeFile(Array(Stock.manifest([file, remote], id: "here", serial: 2).utf8), to: path)
        let requests = stock.server.log.count
        let wanting = try await stock.refresh("--month-cap", "1", manifests: [path])
        #expect(wanting.status == .exited(3) && wanting.errors.isEmpty, "\(wanting)")
        #expect(stock.server.log.count == requests, "who may receive nothing asks for nothing")
        #expect(try await stock.refresh(manifests: [path]).status == .exited(0))
    }

    @Test func whereTheIndexIsLostTheLibraryItselfTellsWhatWasSpent() async throws {
        #expect(try await stage.refresh(at: "2026-12-01T12:00:00Z").status == .exited(0))
        try #require(unlink("\(stock.library)/.larder/state.db") == 0)
        let requests = stock.server.log.count
        let capped = try await stage.refresh(["--month-cap", "390K"], at: "2026-12-02T12:00:00Z")
        #expect(capped.status == .exited(3), "\(capped)")
        #expect(stock.server.log.count == requests)
        #expect(try await stage.refresh(["--month-cap", "390K"], at: "2027-01-02T12:00:00Z").status == .exited(0))
    }

    // MARK: The clock

    @Test func aClockThatWentBackIsToldOnceAndStopsNothing() async throws {
        #expect(try await stage.refresh(at: "2031-01-01T00:00:00Z").errors.isEmpty)
        let changed = Content.pattern(lengthBytes: 1000, seed: 2)
        stock.serveManifest([stock.file("a", changed)], serial: 2, more: #""expires": "2027-06-01T00:00:00Z","#)
        let back = try await stage.refresh(at: "2026-12-01T00:00:00Z")
        #expect(back.status == .exited(0), "\(back)")
        #expect(back.problems.count == 1 && back.errorText.contains("2031-01-01T00:00:0"), "\(back)")
        #expect(try stock.difference("a", changed) == nil)
        #expect(try await stage.refresh(at: "2026-12-02T00:00:00Z").errors.isEmpty)
    }
}
