import ContentLibrary
import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// `larder verify --repair`, and the next `sync` or `refresh` after a `verify`: what is damaged becomes what it was, and nothing else is fetched.
@Suite struct RepairTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }

    init() throws { library = try RestingLibrary() }

    private func publish(_ bundles: [String], serial: Int = 1, more: String = "") async throws {
        stock.serveManifest(bundles, serial: serial, more: more)
        let result = try await stock.sync()
        #expect(result.status == .exited(0), "\(result)")
    }

    @Test(arguments: Damage.allCases) func onlyWhatIsDamagedIsFetchedAgain(_ damage: Damage) async throws {
        try await publish([library.files()])
        let kept = try await library.keep()
        let (requests, generation) = (library.requests(), try stock.generation())
        try damage.strike(library, library.store())

        let result = try await library.verify("--repair", "--json")

        #expect(result.status == .exited(0), "\(result)")
        #expect(try library.differences(from: kept) == [])
        let expected = requests.map { path, count in (path, count + (damage.lost.contains(path) ? 1 : 0)) }
        #expect(library.requests() == Dictionary(uniqueKeysWithValues: expected), "\(result)")
        #expect(result.events.count { $0.name == "content.mended" } == 1, "\(result)")
        #expect(try stock.generation() == generation)
        #expect(try library.staged() == [] && library.quarantined().count == 1)
        #expect(try await library.verify().status == .exited(0))
    }

    @Test(arguments: ["sync", "refresh"]) func theNextRunMendsWhatWasFound(_ command: String) async throws {
        try await publish([library.files()])
        // So that a refresh would have nothing to look at.
        #expect(try await refresh().status == .exited(0))
        let kept = try await library.keep()
        try check(unlink("\(library.store())/one.txt"), "unlink")
        #expect(try await library.verify().status == .exited(1))
        let plan = try await stock.sync("--dry-run")
        #expect(plan.outputText.hasPrefix("mend "), "\(plan)")
        #expect(!plan.outputText.contains("nobody knows beforehand"), "\(plan)")
        let count = library.requests(["one.txt", "dir/two.bin"])

        let result = command == "sync" ? try await stock.sync() : try await refresh()

        #expect(result.status == .exited(0), "\(result)")
        #expect(try library.differences(from: kept) == [])
        #expect(library.requests(["one.txt", "dir/two.bin"]) == count.merging(["one.txt": 1]) { $0 + $1 })
        if command == "sync" { #expect(result.outputText.contains("1 unchanged, 0 failed, 1 mended"), "\(result)") }
        let again = try await stock.sync()
        #expect(again.outputText.hasPrefix("nothing to do"), "\(again)")
    }

    private func refresh() async throws -> ChildProcess.Result {
        try await LarderProgram.run(
            ["refresh", stock.manifestURL, "--library", stock.library, "--retries", "0", "--min-free", "0"])
    }

    @Test func whatTheLibraryHasElsewhereIsNotFetched() async throws {
        // The same bytes by two ways: links to one file would be damaged together.
        try await publish([library.files()])
        try await publish([library.files(), library.files("copy", prefix: "copy/")], serial: 2)
        let name = try library.inode("\(library.store())/one.txt")
        #expect(try library.inode("\(library.store("copy"))/one.txt") != name)
        let kept = try await library.keep()
        stock.server.stop()
        for path in ["one.txt", "dir/two.bin"] { try library.flip("\(library.store())/\(path)") }

        let result = try await library.verify("--repair")

        #expect(result.status == .exited(0), "\(result)")
        #expect(result.errorText.contains("mended, with what the library has"), "\(result)")
        #expect(try library.differences(from: kept) == [])
    }

    @Test func aFileThatTwoVersionsShareIsMendedInBoth() async throws {
        try await publish([library.files()])
        let old = try library.store()
        var changed = RestingLibrary.contents
        changed["dir.x"] = .pattern(lengthBytes: 90, seed: 7)
        try await publish([library.files("set", changed)], serial: 2)
        let folder = "\(stock.library)/store/m/set"
        let new = try #require(
            try directoryEntries(FilePathBytes(folder)).map { "\(folder)/\($0)" }
                .first { !$0.hasSuffix(".receipt") && $0 != old })
        let kept = try await library.keep()
        for path in [old, new]
        where try library.inode("\(path)/one.txt") != library.inode("\(old)/one.txt") || path == old {
            try library.flip("\(path)/one.txt")
        }

        let result = try await library.verify("--repair", "--json")

        #expect(result.status == .exited(0), "\(result)")
        #expect(try #require(result.events.first { $0.name == "library.verified" })["mended"] == 2, "\(result)")
        #expect(stock.server.exchanges("/one.txt").count == 2)
        #expect(try library.differences(from: kept) == [])
    }

    @Test func aReaderThatHoldsTheOldContentKeepsIt() async throws {
        try await publish([library.files()])
        let held = try Directory.open("\(stock.library)/current/m/set")
        try library.flip("\(library.store())/one.txt")
        let damaged = try held.readFile("one.txt", limitBytes: 1 << 20)

        #expect(try await library.verify("--repair").status == .exited(0))

        let two = try #require(RestingLibrary.contents["dir/two.bin"])
        #expect(contentDifference(two.bytes(), try held.readFile("dir/two.bin", limitBytes: 1 << 20)) == nil)
        #expect(try held.readFile("one.txt", limitBytes: 1 << 20) == damaged)
        let one = try #require(RestingLibrary.contents["one.txt"])
        #expect(contentDifference(one.bytes(), try stock.content("set/one.txt")) == nil)
        // Nor is it taken away by what comes after.
        #expect(try await stock.sync().status == .exited(0))
        #expect(try held.readFile("one.txt", limitBytes: 1 << 20) == damaged)
    }

    @Test func readersNeverMissAFileMeanwhile() async throws {
        try await publish([library.files()])
        let path = "\(stock.library)/current/m/set/dir/two.bin"
        let misses = Locked((count: 0, isOver: false))
        let reader = Task.detached {
            while !misses.withLock({ $0.isOver }) {
                if access(path, R_OK) != 0 { misses.withLock { $0.count += 1 } }
            }
        }
        for _ in 0..<5 {
            try library.flip("\(library.store())/one.txt")
            #expect(try await library.verify("--repair").status == .exited(0))
        }
        misses.withLock { $0.isOver = true }
        await reader.value
        #expect(misses.withLock { $0.count } == 0)
    }

    @Test func aRepairThatIsKilledLeavesWhatIsThere() async throws {
        try await publish([library.files()])
        let kept = try await library.keep()
        let generation = try stock.generation()
        for path in ["one.txt", "dir/two.bin"] { try library.flip("\(library.store())/\(path)") }
        stock.server.script("/dir/two.bin", [.altered { $0.stalled(afterBytes: 30_000) }])
        let repair = try LarderProgram.start(
            ["verify", "--repair", "--library", stock.library, "--min-free", "0"])
        try await waitUntil("a part of the file") { try stock.partialBytes() >= 30_000 }
        repair.kill(SIGKILL)
        try await repair.waitForExit()

        #expect(try stock.generation() == generation)
        let between = try library.differences(from: kept)
        #expect(stock.server.exchanges("/dir/two.bin").count == 2)
        #expect(between.count == 2 && between.allSatisfy { $0.contains("one.txt") || $0.contains("two.bin") })
        let result = try await stock.sync()
        #expect(result.status == .exited(0), "\(result)")
        #expect(try library.differences(from: kept) == [])
        #expect(stock.server.exchanges("/one.txt").count == 2, "what the killed one had brought was taken over")
        #expect(try library.staged() == [])
    }

    @Test func aRepairThatIsStoppedIsPaused() async throws {
        try await publish([library.files()])
        try library.flip("\(library.store())/dir/two.bin")
        stock.server.script("/dir/two.bin", [.altered { $0.stalled(afterBytes: 30_000) }])
        let repair = try LarderProgram.start(
            ["verify", "--repair", "--library", stock.library, "--min-free", "0"])
        try await waitUntil("a part of the file") { try stock.partialBytes() >= 30_000 }
        repair.kill(SIGTERM)
        try await repair.waitForExit()

        let index = try #require(try Library.open(stock.library, for: .reading).readStateIndex())
        let bundles = try index.bundles(of: #require(ContentID("m")))
        #expect(try bundles[#require(ContentID("set"))]?.pause != nil)
    }

    @Test func whatCannotBeHadStaysDamagedAndIsToldSo() async throws {
        try await publish([library.files()])
        try library.flip("\(library.store())/one.txt")
        stock.server.serve("/one.txt", always: .status(404))
        let result = try await library.verify("--repair")
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.errorText.contains("404") && result.outputText.contains("1 damaged"), "\(result)")
        #expect(try await stock.sync().status == .exited(1))
        let one = try #require(RestingLibrary.contents["one.txt"])
        stock.server.serve("/one.txt", Resource(one))
        #expect(try await stock.sync().status == .exited(0))
        #expect(contentDifference(one.bytes(), try stock.content("set/one.txt")) == nil)
    }

    @Test func damageIsRememberedWhereTheIndexWasLost() async throws {
        try await publish([library.files()])
        try library.flip("\(library.store())/one.txt")
        try check(unlink("\(stock.library)/.larder/state.db"), "unlink")
        stock.server.serve("/one.txt", always: .status(404))

        let result = try await library.verify("--repair", "--json")

        #expect(result.status == .exited(1), "\(result)")
        #expect(try #require(result.events.first { $0.name == "library.verified" })["mended"] == 0, "\(result)")
        let one = try #require(RestingLibrary.contents["one.txt"])
        stock.server.serve("/one.txt", Resource(one))
        #expect(try await stock.sync().status == .exited(0))
        #expect(contentDifference(one.bytes(), try stock.content("set/one.txt")) == nil)
    }

    @Test func anotherRunThatHoldsTheLibraryIsNotDisturbed() async throws {
        try await publish([library.files()])
        try library.flip("\(library.store())/one.txt")
        stock.serveManifest([library.files(), stock.file("film", .pattern(lengthBytes: 100_000, seed: 9))], serial: 2)
        stock.server.script("/film.bin", [.altered { $0.stalled(afterBytes: 50_000) }])
        let sync = try stock.startSync()
        try await stock.server.waitUntilSent("/film.bin", bytes: 50_000)
        #expect(try await library.verify("--repair").status == .exited(75))
        sync.kill(SIGTERM)
        try await sync.waitForExit()
    }

    // MARK: Receipts

    @Test(arguments: ["gone", "cut", "header"])
    func aLostReceiptIsMadeAnewOfWhatIsHere(_ how: String) async throws {
        // Where the manifest was read from was told by the receipt.
        try await publish([library.files()], more: #""mirrors": ["\#(stock.server.url("/"))"],"#)
        let kept = try await library.keep()
        let requests = library.requests()
        let receipt = try library.store() + ".receipt"
        switch how {
        case "gone": try check(unlink(receipt), "unlink")
        case "cut": try check(truncate(receipt, off_t(readFile(receipt).count - 10)), "truncate")
        default: try writeFile(Array("{}\n".utf8), to: receipt)
        }
        try library.flip("\(library.store())/one.txt")

        let result = try await library.verify("--repair")

        #expect(result.status == .exited(0), "\(result)")
        #expect(library.requests() == requests.merging(["one.txt": 1]) { $0 + $1 }, "\(result)")
        #expect(try library.differences(from: kept) == [])
        #expect(try await library.verify().status == .exited(0))
    }

    /// What stands in the place is what is asked first, and tells nothing of what others have.
    @Test func whereTheReceiptIsLostAnotherVersionHelps() async throws {
        let mirrors = #""mirrors": ["\#(stock.server.url("/"))"],"#
        try await publish([library.files()], more: mirrors)
        let old = try library.store()
        var changed = RestingLibrary.contents
        changed["dir.x"] = .pattern(lengthBytes: 90, seed: 7)
        try await publish([library.files("set", changed)], serial: 2, more: mirrors)
        let folder = "\(stock.library)/store/m/set"
        let new = try #require(
            try directoryEntries(FilePathBytes(folder)).map { "\(folder)/\($0)" }
                .first { !$0.hasSuffix(".receipt") && $0 != old })
        let requests = library.requests()
        try check(unlink("\(new).receipt"), "unlink")
        // A file of its own: the other version's may be the same one.
        try check(unlink("\(new)/one.txt"), "unlink")
        try writeFile(Array("cut".utf8), to: "\(new)/one.txt")

        let result = try await library.verify("--repair")

        #expect(result.status == .exited(0), "\(result)")
        #expect(library.requests() == requests, "\(result)")
        #expect(try await library.verify().status == .exited(0))
    }

    // MARK: Other kinds

    @Test func ofAnArchiveTheFilesThatAreWholeStayTheSameFiles() async throws {
        let zip = storedZip(["a/x.txt": Array("some text".utf8), "y.txt": Array("more text".utf8)])
        try await publish([stock.archive("pack", zip)])
        let kept = try await library.keep()
        let inode = try library.inode("\(library.store("pack"))/y.txt")
        try library.flip("\(library.store("pack"))/a/x.txt")

        let result = try await library.verify("--repair")

        #expect(result.status == .exited(0), "\(result)")
        #expect(try library.differences(from: kept) == [])
        #expect(stock.server.exchanges("/pack.zip").count == 2)
        #expect(try library.inode("\(library.store("pack"))/y.txt") == inode || kept.isEmpty)
    }

    @Test func anArchiveIsNotFetchedForAModeOrAStrayFile() async throws {
        try await publish([stock.archive("pack", storedZip(["x.txt": Array("x".utf8)]))])
        let kept = try await library.keep()
        try check(chmod("\(library.store("pack"))/x.txt", 0o666), "chmod")
        try writeFile([1], to: "\(library.store("pack"))/stray")
        #expect(try await library.verify("--repair").status == .exited(0))
        #expect(try library.differences(from: kept) == [])
        #expect(stock.server.exchanges("/pack.zip").count == 1)
    }

    @Test func ofJoinedSegmentsOnlyTheDamagedOneIsFetched() async throws {
        let contents = (0..<4).map { Content.pattern(lengthBytes: 10_000, seed: UInt64($0)) }
        let segments = contents.enumerated().map { number, content in
            stock.server.serve("/\(number).ts", Resource(content))
            return
                #"{"path": "\#(number).ts", "urls": ["\#(number).ts"], "size": 10000, "sha256": "\#(content.sha256)"}"#
        }
        try await publish([
            #"{"id": "radio", "kind": "segments", "join": "radio.ts", "segments": [\#(segments.joined(separator: ","))]}"#
        ])
        let kept = try await library.keep()
        // The middle of the file: the third segment.
        try library.flip("\(library.store("radio"))/radio.ts")
        let result = try await library.verify("--repair")
        #expect(result.status == .exited(0), "\(result)")
        #expect((0..<4).map { stock.server.exchanges("/\($0).ts").count } == [1, 1, 2, 1])
        #expect(try library.differences(from: kept) == [])
    }

    @Test func segmentsWithTheirListsAreMended() async throws {
        let contents = (0..<3).map { Content.pattern(lengthBytes: 10_000, seed: UInt64($0)) }
        let segments = contents.enumerated().map { number, content in
            stock.server.serve("/\(number).ts", Resource(content))
            return
                #"{"path": "\#(number).ts", "urls": ["\#(number).ts"], "duration": 6, "size": 10000, "sha256": "\#(content.sha256)"}"#
        }
        try await publish([
            #"{"id": "radio", "kind": "segments", "segments": [\#(segments.joined(separator: ","))]}"#
        ])
        let kept = try await library.keep()
        try library.flip("\(library.store("radio"))/1.ts")
        try check(unlink("\(library.store("radio"))/index.m3u8"), "unlink")
        let result = try await library.verify("--repair")
        #expect(result.status == .exited(0), "\(result)")
        #expect((0..<3).map { stock.server.exchanges("/\($0).ts").count } == [1, 2, 1])
        #expect(try library.differences(from: kept) == [])
    }

    @Test func ofAPresentationOnlyTheDamagedSegmentIsFetched() async throws {
        for number in 0..<3 { stock.serve("/film/\(number).ts", stream(number)) }
        let segments = (0..<3).map { "#EXTINF:4,\n\($0).ts\n" }.joined()
        stock.serve(
            "/film/index.m3u8",
            Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(segments)#EXT-X-ENDLIST\n".utf8))
        stock.serveFilm("film/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        let kept = try await library.keep()
        let name = try #require(
            try stock.filmText().split(separator: "\n").filter { !$0.hasPrefix("#") }.dropFirst().first)
        try library.flip("\(library.store("film"))/\(name)")

        let result = try await library.verify("--repair")

        #expect(result.status == .exited(0), "\(result)")
        #expect((0..<3).map { stock.server.exchanges("/film/\($0).ts").count } == [1, 2, 1], "\(result)")
        #expect(try library.differences(from: kept) == [])
    }

    @Test func anEBookIsMended() async throws {
        let book = Content.pattern(lengthBytes: 5000, seed: 1)
        stock.server.serve("/b.pdf", Resource(book))
        try await publish([#"{"id": "book", "kind": "ebook", "urls": ["b.pdf"], "sha256": "\#(book.sha256)"}"#])
        let kept = try await library.keep()
        try check(truncate("\(library.store("book"))/b.pdf", 17), "truncate")
        #expect(try await library.verify("--repair").status == .exited(0))
        #expect(try library.differences(from: kept) == [])
    }

    // MARK: Where it is fetched from

    /// Without mirrors, what the manifest was read from is told by what came of it.
    @Test func relativeURLsLeadWhereTheyLed() async throws {
        stock.server.serve(
            "/deep/er/m.json",
            Resource(.text(Stock.manifest([library.files("set", prefix: "deep/er/").replacing("deep/er/", with: "")]))))
        let result = try await stock.sync(manifests: [stock.server.url("/deep/er/m.json")])
        #expect(result.status == .exited(0), "\(result)")
        try library.flip("\(library.store())/one.txt")
        let repair = try await library.verify("--repair")
        #expect(repair.status == .exited(0), "\(repair)")
        #expect(stock.server.exchanges("/deep/er/one.txt").count == 2)
    }

    /// Where its files lay tells its receipt; where they are by now, somebody who knows.
    @Test func aManifestOfThisMachineWhoseFilesWereMovedNeedsABaseOrASync() async throws {
        let bytes = Array("some text".utf8)
        try stock.directory.write(bytes, to: "origin/t.txt")
        let bundle =
            #"{"id": "set", "kind": "files", "files": [{"path": "t.txt", "urls": ["t.txt"], "sha256": "\#(SHA256.digest(of: bytes))"}]}"#
        let manifest = try stock.directory.write(Stock.manifest([bundle]).utf8, to: "origin/m.json")
        #expect(try await stock.sync(manifests: [manifest]).status == .exited(0))
        try library.flip("\(library.store())/t.txt")
        try check(rename(stock.directory["origin"], stock.directory["elsewhere"]), "rename")
        let without = try await library.verify("--repair")
        #expect(without.status == .exited(1) && without.errorText.contains("origin/t.txt"), "\(without)")
        let with = try await library.verify("--repair", "--base", "file://\(stock.directory["elsewhere/"])")
        #expect(with.status == .exited(0), "\(with)")
        #expect(try stock.content("set/t.txt") == bytes)
    }

    /// It may be read from this machine again where a digest tells what it is; nobody knows any more who wrote the manifest.
    @Test(arguments: [true, false]) func aFileOfThisMachineIsTakenWhereADigestProvesIt(_ hasDigest: Bool) async throws {
        let bytes = Array("some text".utf8)
        let path = try stock.directory.write(bytes, to: "origin/t.txt")
        let digest = hasDigest ? #", "sha256": "\#(SHA256.digest(of: bytes))""# : ""
        let bundle =
            #"{"id": "set", "kind": "files", "files": [{"path": "t.txt", "urls": ["file://\#(path)"]\#(digest)}]}"#
        let manifest = try stock.directory.write(Stock.manifest([bundle]).utf8, to: "origin/m.json")
        #expect(try await stock.sync(manifests: [manifest]).status == .exited(0))
        try library.flip("\(library.store())/t.txt")
        let repair = try await library.verify("--repair")
        #expect(repair.status == .exited(hasDigest ? 0 : 1), "\(repair)")
        #expect(repair.errorText.contains("has no digest that would prove it") == !hasDigest, "\(repair)")
        #expect(try (stock.content("set/t.txt") == bytes) == hasDigest)
    }

    // MARK: Something else

    /// Without a digest, what comes of the same source may be another thing.
    private func damageWhatIsOtherByNow() async throws {
        for serial in 1...3 {
            let content = Content.pattern(lengthBytes: 900, seed: UInt64(serial))
            try await publish(
                [stock.file("b", content), stock.file("a", .pattern(lengthBytes: 900, seed: 8), hasDigest: false)],
                serial: serial)
        }
        let other = Content.pattern(lengthBytes: 900, seed: 9)
        try check(unlink("\(library.store("a"))/data"), "unlink")
        stock.server.serve("/a.bin", Resource(other))
    }

    @Test func whatIsHeldIsNotReplacedBySomethingElse() async throws {
        try await damageWhatIsOtherByNow()
        let pin = try await LarderProgram.run(["pin", "--library", stock.library])
        #expect(pin.status == .exited(0), "\(pin)")
        let generation = try stock.generation()

        let result = try await library.verify("--repair")

        #expect(result.status == .exited(1) && result.errorText.contains("larder unpin"), "\(result)")
        #expect(try stock.generation() == generation)
    }

    @Test func whatIsHeldIsMended() async throws {
        try await publish([library.files()])
        let kept = try await library.keep()
        #expect(try await LarderProgram.run(["pin", "--library", stock.library]).status == .exited(0))
        try library.flip("\(library.store())/one.txt")
        #expect(try await library.verify().status == .exited(1))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try library.differences(from: kept) != [], "nothing is done for a manifest that is held")
        #expect(try await library.verify("--repair").status == .exited(0))
        #expect(try library.differences(from: kept) == [])
    }

    private func generations() throws -> [String] {
        try directoryEntries(FilePathBytes("\(stock.library)/generations")).map(\.description)
    }

    @Test func noGenerationIsTakenAway() async throws {
        try await damageWhatIsOtherByNow()
        let generations = try generations()
        #expect(generations.count == 3)
        for name in generations {
            let path = "\(stock.library)/generations/\(name)"
            try check(utimensat(AT_FDCWD, path, [timespec(), timespec()], 0), "utimensat \(path)")
        }

        #expect(try await library.verify("--repair").status == .exited(1), "the old content stays damaged")

        let left = try self.generations()
        #expect(left.count == 4 && Set(left).isSuperset(of: generations), "\(left)")
    }

    // MARK: Older generations

    private func damageOnRecord() throws -> Int? {
        try Library.open(stock.library, for: .reading).readStateIndex()?.damagedContents().count
    }

    @Test func damageIsForgottenWithItsGeneration() async throws {
        try await publish([library.files()])
        try library.flip("\(library.store())/one.txt")
        #expect(try await library.verify().status == .exited(1))
        stock.serveManifest([library.files("set", ["new": .pattern(lengthBytes: 10, seed: 5)])], serial: 2)
        #expect(try await stock.sync("--keep", "1").status == .exited(0))
        #expect(try damageOnRecord() == 1)
        stock.serveManifest([library.files("set", ["new": .pattern(lengthBytes: 10, seed: 6)])], serial: 3)
        #expect(try await stock.sync("--keep", "1", "--keep-age", "0s").status == .exited(0))
        #expect(try damageOnRecord() == 0)
    }

    @Test func whatReadersDoNotSeeIsMendedByWhatTheLibraryHas() async throws {
        try await publish([library.files()])
        let old = try library.store()
        try await publish([library.files("set", ["new": .pattern(lengthBytes: 10, seed: 5)])], serial: 2)
        try library.flip("\(old)/one.txt")
        let told = try await library.verify("--repair")
        #expect(told.status == .exited(1) && told.errorText.contains("isn't what readers see now"), "\(told)")
        try await publish(
            [
                library.files("set", ["new": .pattern(lengthBytes: 10, seed: 5)]),
                library.files("copy", prefix: "copy/"),
            ],
            serial: 3)
        let mended = try await library.verify("--repair")
        #expect(mended.status == .exited(0), "\(mended)")
        #expect(
            contentDifference(
                try #require(RestingLibrary.contents["one.txt"]).bytes(), try readFile("\(old)/one.txt")) == nil)
    }
}
