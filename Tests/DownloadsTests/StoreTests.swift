import FaultServer
import Glibc
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// The folder of partial files: who may use one, what is let go, and what a full disk does.
@Suite struct StoreTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        for path in ["/b", "/c"] { bench.server.serve(path, Resource(bench.content)) }
    }

    @Test("two-runs") func twoProcessesNeverUseOnePartial() async throws {
        try await bench.pause()
        let name = try bench.storedNames()[0]
        let script = """
            import fcntl, sys
            file = open(sys.argv[1], "r+b")
            fcntl.flock(file, fcntl.LOCK_EX)
            print("locked", flush=True)
            sys.stdin.read()
            """
        let holder = try ChildProcess(
            "sh", ["-c", "tail -f /dev/null | exec python3 -c \"$0\" \"$1\"", script, bench.folder["partial/\(name)"]])
        try await holder.wait(for: "the lock") { $0.outputText.contains("locked") ? () : nil }
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await caller.answer().code == .inUse)
        #expect(try await caller.answer().message.contains("another process"))
        #expect(try ResumeStore(path: bench.folder["partial"]).purge().isEmpty, "what is in use stays")
        #expect(try bench.stored().bytes.count == 1_000_000)
        #expect(bench.wire() == ["200"])
    }

    @Test func twoDownloadersNeverUseOnePartial() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let (one, other) = (try bench.downloader(), try bench.downloader())
        let (token, caller) = one.ask(try bench.request())
        try await caller.waitForBytes(1_000_000)
        #expect(try await other.answer(to: bench.request()).answer().code == .inUse)
        one.cancel(token)
        await one.shutDown()
        #expect(try await other.answer(to: bench.request()).resumed == [1_000_000])
    }

    @Test func twoDownloadsOfOnePlaceTakeTurns() async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000, until: gate) }])
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request { $0.partialFile = place })
        try await first.caller.waitForBytes(1_000_000)
        let second = downloader.ask(try bench.request("/b") { $0.partialFile = place })
        let third = downloader.ask(try bench.request("/c") { $0.partialFile = place })
        _ = try await third.caller.events.events(atLeast: 1)
        downloader.cancel(third.token)
        #expect(try await third.caller.answer().code == .cancelled)
        gate.open()
        let file = try #require(try await first.caller.answer().file)
        try file.take(to: bench.folder["taken"])
        #expect(try await second.caller.answer().file != nil)
        #expect(bench.wire("/c") == [])
        await downloader.shutDown()
    }

    @Test func aPlaceThatHoldsOneAssetIsNoneForAnother() async throws {
        let other = Content.pattern(lengthBytes: 1_000_000, seed: 5)
        bench.server.serve("/b", Resource(other))
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        let downloader = try bench.downloader()
        let first = try await downloader.download(bench.request { $0.partialFile = place })
        let waiting = downloader.ask(try bench.request("/b") { $0.partialFile = place })
        let again = try await downloader.download(bench.request { $0.partialFile = place })
        #expect(again === first)
        #expect(waiting.caller.answers.events.isEmpty && bench.wire("/b") == [])
        try first.take(to: bench.folder["taken"])
        #expect(try await contentDifference(other.bytes(), waiting.caller.bytes()) == nil)
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("taken")) == nil)
    }

    @Test func aPlaceThatHoldsADigestIsThatOfItsMirrors() async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        let downloader = try bench.downloader()
        let requests = try ["/a", "/b"].map { path in
            try bench.request(path) { ($0.partialFile, $0.digest) = (place, bench.digest) }
        }
        let first = try await downloader.download(requests[0])
        #expect(try await downloader.download(requests[1]) === first)
        #expect(bench.wire("/b") == [])
    }

    @Test(arguments: ["./place.part", "folder/../place.part"])
    func onePlaceHasManyNames(_ name: String) async throws {
        try bench.folder.makeDirectory("folder")
        let places = try ["place.part", name].map { try PartialFile.Location(path: bench.folder[$0]) }
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000, until: gate) }])
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request { $0.partialFile = places[0] })
        try await first.caller.waitForBytes(1_000_000)
        let second = downloader.ask(try bench.request("/b") { $0.partialFile = places[1] })
        _ = try await second.caller.events.events(atLeast: 1)
        gate.open()
        try await first.caller.answer().file?.take(to: bench.folder["taken"])
        #expect(try await second.caller.answer().file != nil, "\(second.caller.answers.events)")
    }

    @Test func aFileOfSomebodyElsesIsLeftWhereNothingIsBrought() async throws {
        try bench.folder.write([1, 2, 3], to: "theirs.part")
        for name in ["theirs.part", "ours.part"] {
            let place = try PartialFile.Location(path: bench.folder[name])
            let caller = try await bench.downloader().answer(to: bench.request("/none") { $0.partialFile = place })
            #expect(try await caller.answer().code == .unacceptableStatus(404))
        }
        #expect(try bench.folder.read("theirs.part") == [1, 2, 3])
        #expect(access(bench.folder["ours.part"], F_OK) != 0)
    }

    @Test func aWaitForAPlaceEndsWithItsCaller() async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try bench.downloader { $0.maximumTransfers = 2 }
        let first = downloader.ask(try bench.request { $0.partialFile = place })
        try await first.caller.waitForBytes(1_000_000)
        let waiting = downloader.ask(try bench.request("/b") { $0.partialFile = place })
        _ = try await waiting.caller.events.events(atLeast: 1)
        downloader.cancel(waiting.token)
        // Its turn is free again, though the place is not.
        #expect(try await downloader.answer(to: bench.request("/c")).answer().file != nil)
        await downloader.shutDown()
    }

    @Test func pausedDownloadsCanBeListedAndLetGoOldestFirst() async throws {
        for (path, offset) in [("/a", 1_000_000), ("/b", 600_000), ("/c", 300_000)] as [(String, UInt64)] {
            try await bench.pause(bench.request(path), atBytes: offset)
        }
        let downloader = try bench.downloader()
        let paused = try await downloader.pausedDownloads()
        #expect(paused.map(\.url) == ["/a", "/b", "/c"].map { bench.server.url($0) })
        #expect(paused.map(\.heldBytes) == [1_000_000, 600_000, 300_000])
        #expect(paused.map(\.totalBytes) == [3_000_000, 3_000_000, 3_000_000])
        #expect(try await downloader.purge(keepingBytes: 900_000).map(\.heldBytes) == [1_000_000])
        #expect(try bench.storedNames().count == 4)
        #expect(try await downloader.purge().map(\.heldBytes) == [600_000, 300_000])
        #expect(try bench.storedNames() == [])
    }

    @Test func whatARecordClaimsIsNoMoreThanItsFileHas() async throws {
        for path in ["/a", "/b"] { try await bench.pause(bench.request(path)) }
        for name in try bench.storedNames().filter({ $0.hasSuffix(".resume") }) {
            var record = try #require(try ResumeData(decoding: bench.folder.read("partial/\(name)")))
            (record.held, record.mayHaveHoles) = ([0..<1000, 2000..<1 << 52], true)
            try bench.folder.write(record.encoded, to: "partial/\(name)")
        }
        let downloader = try bench.downloader()
        #expect(try await downloader.pausedDownloads().map(\.heldBytes) == [999_000, 999_000])
        #expect(try await downloader.purge(keepingBytes: 999_000).count == 1)
    }

    @Test func lettingGoSparesWhatRunsAndWhatIsComplete() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try bench.downloader()
        let (token, running) = downloader.ask(try bench.request())
        try await running.waitForBytes(1_000_000)
        let complete = try await downloader.download(bench.request("/b"))
        #expect(try await downloader.pausedDownloads().isEmpty)
        #expect(try await downloader.purge().isEmpty)
        #expect(try complete.bytes(limitBytes: 3_000_000).count == 3_000_000)
        downloader.cancel(token)
        #expect(try await downloader.answer(to: bench.request()).resumed == [1_000_000])
    }

    @Test func lettingGoTakesWhatNobodyCanUseAnyMore() async throws {
        try await bench.pause()
        try bench.folder.write([1], to: "partial/bytes-without-record.part")
        try bench.folder.write([1], to: "partial/record-without-bytes.part.resume")
        try bench.folder.write([1], to: "partial/somebody-elses")
        let store = try ResumeStore(path: bench.folder["partial"])
        #expect(try store.purge(keepingBytes: .max).map(\.url) == [nil])
        #expect(try bench.storedNames().count == 3)
        #expect(try bench.storedNames().contains("somebody-elses"))
    }

    @Test("preallocate-enospc", .enabled(if: geteuid() == 0, "only root may mount a small file system"))
    func aFullDiskKeepsWhatWasFetched() async throws {
        let mount = try TemporaryDirectory()
        let mounted = try await ChildProcess.run("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", mount.path])
        try #require(
            mounted.status == .exited(0), "this test mounts a small file system, and needs the right to: \(mounted)")
        defer { umount2(mount.path, 2) }
        // Of a known length nothing would be fetched.
        bench.server.serve("/a", Resource(bench.content).altered { $1.chunked() })
        let downloader = Downloader(store: try ResumeStore(path: mount.path))
        let caller = try await downloader.answer(to: bench.request())
        #expect(try await caller.answer().code == .noSpace)
        #expect(caller.retries.isEmpty)
        await downloader.shutDown()
        let held = try Directory.open(mount.path).names().first { !$0.description.hasSuffix(".resume") }
        let bytes = try readFile("\(mount.path)/\(try #require(held))")
        #expect(bytes.count >= 1_000_000)
        #expect(contentDifference(bench.content.bytes(count: bytes.count), bytes) == nil)
    }

    @Test func aPlaceThatIsNoFileIsRefused() async throws {
        try bench.folder.makeDirectory("folder.part")
        #expect(mkfifo(bench.folder["fifo.part"], 0o600) == 0)
        #expect(symlink("/dev/null", bench.folder["link.part"]) == 0)
        for name in ["folder.part", "fifo.part", "link.part"] {
            let place = try PartialFile.Location(path: bench.folder[name])
            let caller = try await bench.downloader().answer(to: bench.request { $0.partialFile = place })
            #expect(try await caller.answer().code == .fileFailed, "\(name)")
        }
    }

    @Test func aTakenFileReplacesInOneStep() async throws {
        try bench.folder.write([1, 2, 3], to: "out")
        let file = try await bench.downloader().download(bench.request())
        try file.take(to: bench.folder["out"])
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("out")) == nil)
        #expect(try bench.storedNames() == [])
        try file.take(to: bench.folder["again"])
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("again")) == nil)
    }

    /// As another caller of the same file does who takes it at this moment, or the next download of its place.
    @Test(arguments: [true, false]) func aLinkIsOfTheVeryFile(isReplaced: Bool) async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        let file = try await bench.downloader().download(bench.request { $0.partialFile = place })
        try place.directory.remove(place.name)
        if isReplaced { try bench.folder.write([1, 2, 3], to: "place.part") }
        try file.link(to: RelativePath("linked"), in: place.directory)
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("linked")) == nil)
    }

    @Test func aTakenFileIsTakenWhateverBecomesOfItsRecord() async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        let request = try bench.request { $0.partialFile = place }
        try await bench.pause(request)
        let file = try await bench.downloader().download(request)
        #expect(file.resumedBytes == 1_000_000)
        // As on a disk that can't be written to any more.
        try place.directory.remove(place.recordName)
        try place.directory.makeDirectory(place.recordName)
        try file.take(to: bench.folder["taken"])
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("taken")) == nil)
    }

    @Test func aTakeThatFailsLosesNothing() async throws {
        try bench.folder.makeDirectory("folder/inside")
        let downloader = try bench.downloader()
        do {
            let file = try await downloader.download(bench.request())
            let error = #expect(throws: DownloadError.self) { try file.take(to: bench.folder["folder"]) }
            #expect(error?.code == .fileFailed)
        }
        await downloader.shutDown()
        let again = try await bench.downloader().answer(to: bench.request())
        #expect(again.resumed == [3_000_000])
        #expect(bench.wire() == ["200", "206 bytes=2999999-"])
    }
}
