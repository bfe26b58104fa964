import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

@testable import LarderCommand

/// Runs that are stopped half-way, and the ones after them.
@Suite struct StoppedSyncTests {
    private let size: UInt64 = 4 << 20
    private let stock: Stock
    private let content: Content
    private let small = Content.pattern(lengthBytes: 5000, seed: 2)

    init() throws {
        stock = try Stock()
        content = .pattern(lengthBytes: size, seed: 1)
        stock.serveManifest([stock.file("big", content), stock.file("small", small)])
    }

    /// Lets the next transfer of the big bundle stop at a byte until the client leaves.
    private func stall(at bytes: UInt64) {
        stock.server.script("/big.bin", [.altered { $0.stalled(afterBytes: bytes) }])
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func aSignalPausesAndTheNextRunFetchesOnlyTheRest(signal: Int32, exit: Int32) async throws {
        stall(at: 3 << 20)
        let run = try stock.startSync("--json")
        try await run.hasBytes(of: "big")
        try await stock.server.waitUntilSent("/big.bin", bytes: 3 << 20)
        run.kill(signal)
        let paused = try await run.waitForExit(within: .seconds(5))

        #expect(paused.status == .exited(exit), "\(paused)")
        #expect(paused.events.contains { $0.name == "transfer.paused" && $0.bundle == "big" })
        #expect(try paused.finished["exit"] == Int(exit))
        #expect(try paused.finished.bundles("paused") ?? 0 >= 1)
        let held = try stock.partialBytes()
        #expect(held > 0 && held <= 3 << 20)
        #expect(try stock.partials().contains { $0.hasSuffix(".part.resume") })

        let next = try await stock.sync("--json")
        #expect(next.status == .exited(0), "\(next)")
        #expect(stock.server.exchanges("/big.bin").dropFirst().first?.request["Range"] == "bytes=\(held)-")
        let resumed = next.events.first { $0.name == "transfer.resumed" && $0.bundle == "big" }
        #expect(resumed?["offset"] == held)
        // The small one was complete, or was cut at some moment: it is not what this is about.
        #expect(try (next.finished["bytesResumed"] ?? 0) - held <= 5000)
        #expect(try stock.difference("big", content) == nil)
        #expect(try stock.difference("small", small) == nil)
        #expect(try stock.partials() == [])
    }

    /// As `nohup` starts it, and a shell what it runs in the background.
    @Test(arguments: [SIGHUP, SIGINT]) func whatIsIgnoredAtTheStartStopsNothing(signal: Int32) async throws {
        let gate = try Gate()
        stock.server.script("/big.bin", [.altered { $0.stalled(afterBytes: 3 << 20, until: gate) }])
        let command = ([try LarderProgram.path] + stock.arguments()).map { "'\($0)'" }.joined(separator: " ")
        let run = try ChildProcess("sh", ["-c", "trap '' HUP INT; exec \(command)"])
        try await stock.server.waitUntilSent("/big.bin", bytes: 3 << 20)
        run.kill(signal)
        // Heard after the other, whose number is lower.
        run.kill(SIGUSR1)
        try await run.wait(for: "a line of progress") { $0.errorText.contains("bundles") ? () : nil }
        gate.open()
        #expect(try await run.waitForExit().status == .exited(0))
        #expect(try stock.difference("big", content) == nil)
    }

    @Test func aSignalWhileTheManifestIsAwaitedEndsTheRun() async throws {
        let gate = try Gate()
        stock.server.script("/m.json", [.altered { $0.headHeld(until: gate) }])
        let run = try stock.startSync()
        try await stock.server.waitForRequest("/m.json")
        run.kill(SIGINT)
        #expect(try await run.waitForExit(within: .seconds(5)).status == .exited(130))
    }

    @Test func aSignalEndsARehearsalToo() async throws {
        let gate = try Gate()
        stock.server.script("/m.json", [.altered { $0.headHeld(until: gate) }])
        let folder = try stock.directory.makeDirectory("temporary")
        var environment = ChildProcess.inheritedEnvironment
        environment["TMPDIR"] = folder
        let run = try ChildProcess(
            LarderProgram.path, stock.arguments(["--dry-run", "--json"]), environment: environment)
        try await stock.server.waitForRequest("/m.json")
        run.kill(SIGTERM)
        // Before anybody's patience would be over, after which the folder would stay.
        let end = try await run.waitForExit(within: .seconds(5))
        #expect(end.status == .exited(143), "\(end)")
        #expect(end.events.map(\.name) == ["run.started", "run.finished"], "\(end)")
        #expect(try directoryEntries(FilePathBytes(folder)) == [])
    }

    @Test func aSignalWhileStandardInputIsAwaitedEndsTheRun() async throws {
        let pipe = stock.directory["manifest"]
        #expect(mkfifo(pipe, 0o600) == 0)
        let run = try LarderProgram.start(stock.arguments(["--json"], manifests: [pipe]))
        try await run.wait(for: "its start") { $0.events.first { $0.name == "run.started" }.map { _ in } }
        run.kill(SIGTERM)
        #expect(try await run.waitForExit(within: .seconds(5)).status == .exited(143))
    }

    @Test func aDeadlinePausesAndThePartThatIsCompleteIsPublished() async throws {
        stall(at: 2 << 20)
        let paused = try await stock.sync("--deadline", "4s", "--json")
        #expect(paused.status == .exited(3), "\(paused)")
        #expect(paused.problems.count == 1, "the summary: \(paused)")
        #expect(try stock.published() == ["small"])
        #expect(try paused.finished.bundles("paused") == 1)
        let held = try stock.partialBytes()

        let next = try await stock.sync()
        #expect(next.status == .exited(0), "\(next)")
        #expect(stock.server.exchanges("/big.bin").dropFirst().first?.request["Range"] == "bytes=\(held)-")
        #expect(try stock.difference("big", content) == nil)
    }

    @Test func aByteBudgetIsCarriedOnByTheNextRuns() async throws {
        var runs = 0
        var exit = ChildProcess.Status.exited(3)
        stock.server.serve("/big.bin", Resource(content).altered { $1.paced(bytesPerSecond: 8 << 20) })
        while exit == .exited(3), runs < 8 {
            runs += 1
            exit = try #require(try await stock.sync("--max-bytes", "1M").status)
        }
        #expect(exit == .exited(0))
        #expect(runs >= 2, "a budget of a quarter can't be enough")
        #expect(try stock.difference("big", content) == nil)
    }

    /// However many come at once, and however fast.
    @Test func aByteBudgetIsNeverExceeded() async throws {
        let names = (0..<16).map { "f\($0)" }
        stock.serveManifest(
            names.enumerated().map { stock.file($1, .pattern(lengthBytes: 1_000_000, seed: UInt64($0))) }, serial: 2)
        for budget in [1 << 20, 3_333_333] {
            let run = try await stock.sync(
                "--max-bytes", "\(budget)", "--jobs", "16", "--per-host", "16", "--json")
            #expect(run.status == .exited(3), "\(run)")
            let fetched = try #require(try run.finished["bytesFetched"])
            #expect((budget - 16 << 10...budget).contains(fetched), "\(fetched) of \(budget)")
        }
    }

    @Test func aBudgetThatIsJustEnoughIsNoPause() async throws {
        let whole = try await LarderProgram.run([
            "sync", stock.manifestURL, "--library", stock.directory["other"], "--min-free", "0", "--json",
        ])
        // The manifest is part of it.
        let bytes = try #require(try whole.finished["bytesFetched"])
        #expect(bytes > size + 5000)
        #expect(try await stock.sync("--max-bytes", "\(bytes - 1)").status == .exited(3))
        _ = try Directory.open(stock.directory.path).removeTree("library")
        let result = try await stock.sync("--max-bytes", "\(bytes)")
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.published() == ["big", "small"])
    }

    /// Each would begin anew each time: they come one after the other, or none ever would.
    @Test func whatComesInOneGoIsBegunOnlyWhereAllOfItMayStillCome() async throws {
        let files = (0..<3).map { Content.pattern(lengthBytes: 600_000, seed: UInt64($0)) }
        stock.serveManifest(
            files.enumerated().map { number, content in
                stock.file("f\(number)", content) {
                    $0.ranges(.ignored).altered { $1.header("Accept-Ranges", "none") }
                }
            }, serial: 2)
        for count in 1...2 {
            let run = try await stock.sync("--max-bytes", "1000000", "--json")
            #expect(run.status == .exited(3), "\(run)")
            #expect(try stock.published().count == count, "\(run)")
            #expect(!run.events.contains { ["bundle.failed", "transfer.failed"].contains($0.name) }, "\(run)")
            #expect(run.errorText.contains("in one go alone"), "\(run)")
            #expect(try run.finished.bundles("paused") == 3 - count)
        }
        let last = try await stock.sync("--max-bytes", "1000000")
        #expect(last.status == .exited(0), "\(last)")
        for (number, content) in files.enumerated() { #expect(try stock.difference("f\(number)", content) == nil) }
    }

    @Test func tooLittleRoomIsToldBeforeTheFirstRequest() async throws {
        let result = try await LarderProgram.run([
            "sync", stock.manifestURL, "--library", stock.library, "--min-free", "100%",
        ])
        #expect(result.status == .exited(73), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains(stock.library), "\(result)")
        #expect(stock.server.log.allSatisfy { $0.request.path == "/m.json" })
    }

    @Test func whatIsHeldNeedsNoRoomAgain() async throws {
        stall(at: 3 << 20)
        let run = try stock.startSync("--json")
        try await run.hasBytes(of: "big")
        try await stock.server.waitUntilSent("/big.bin", bytes: 3 << 20)
        run.kill(SIGTERM)
        try await run.waitForExit(within: .seconds(5))
        let missing = Int64(size) - Int64(try stock.partialBytes())

        let rehearsed = try await stock.sync("--dry-run")
        #expect(rehearsed.outputText.contains("fetch       m/big  \(HumanQuantity.bytes(missing))\n"), "\(rehearsed)")
    }

    @Test func whereNothingMayHaveToBeFetchedNoRoomIsAskedFor() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", small, hasDigest: false)])
        #expect(try await stock.sync().status == .exited(0))
        let result = try await LarderProgram.run([
            "sync", stock.manifestURL, "--library", stock.library, "--min-free", "100%",
        ])
        #expect(result.status == .exited(0), "\(result)")
    }

    @Test func aSecondRunAtTheSameTimeIsToldSo() async throws {
        let gate = try Gate()
        stock.server.script("/big.bin", [.altered { $0.headHeld(until: gate) }])
        let first = try stock.startSync()
        try await stock.server.waitForRequest("/big.bin")

        let second = try await stock.sync()
        #expect(second.status == .exited(75), "\(second)")
        #expect(second.problems.count == 1 && second.errorText.contains(stock.library), "\(second)")
        #expect(second.errorText.contains("\(first.processID)"), "\(second)")

        gate.open()
        #expect(try await first.waitForExit().status == .exited(0))
    }

    @Test func onRequestItSaysHowFarItIs() async throws {
        stall(at: 2 << 20)
        let run = try stock.startSync("--json")
        try await run.hasBytes(of: "big")
        run.kill(SIGUSR1)
        let line = try await run.wait(for: "a line") { $0.problems.first }
        #expect(line.contains("/2 bundles") && line.contains(" of 4.2 MB"), "\(line)")
        run.kill(SIGTERM)
        let end = try await run.waitForExit()
        #expect(end.status == .exited(143) && end.problems.count == 2, "\(end)")
    }
}

/// Kills, at moments nobody chooses: everything that is published stays whole, and nothing is fetched twice.
@Suite struct KilledSyncTests {
    @Test(arguments: 0..<6)
    func afterAKillTheNextRunCompletes(round: Int) async throws {
        var generator = Seed.generator(for: "kill \(round)")
        let stock = try Stock()
        let old = Content.pattern(lengthBytes: 10_000, seed: 1)
        stock.serveManifest([stock.file("a", old)])
        #expect(try await stock.sync().status == .exited(0))

        let size: UInt64 = 6 << 20
        let new = Content.pattern(lengthBytes: size, seed: 2)
        let entries = deterministicBytes(3 << 20, seed: 3)
        stock.serveManifest(
            [stock.file("a", new), stock.archive("z", storedZip(["one/data.bin": entries]))], serial: 2)
        // At a pace, so that what the kernels' buffers hold at a kill is little.
        stock.server.serve("/a.bin", Resource(new).altered { $1.paced(bytesPerSecond: 16 << 20) })
        var kills: UInt64 = 0
        while true {
            let run = try stock.startSync("--json")
            let moment = Int.random(in: 0..<30, using: &generator)
            // Events are what a moment of this run is named by: transfers, unpacking and publishing are all among them.
            _ = try? await run.wait(for: "event \(moment)") { $0.events.count > moment ? true : nil }
            if kills < 4 { run.kill(SIGKILL) }
            let end = try await run.waitForExit()
            if end.status == .exited(0) { break }
            #expect(end.status == .signalled(SIGKILL), "\(end)")
            kills += 1
            let seen = try stock.content("a/data")
            #expect(seen == old.bytes() || contentDifference(new.bytes(), seen) == nil, "current is whole")
        }
        #expect(try stock.difference("a", new) == nil)
        #expect(contentDifference(entries, try stock.content("z/one/data.bin")) == nil)
        #expect(stock.server.bodyBytesSent("/a.bin") <= size + 10_000 + kills * (2 << 20))
    }
}

extension ChildProcess {
    /// Waits until a run that prints events has told of bytes of a bundle.
    func hasBytes(of bundle: String) async throws {
        try await wait(for: "bytes of \(bundle)") { result in
            result.events.contains { $0.name == "transfer.progress" && $0.bundle == bundle } ? () : nil
        }
    }
}
