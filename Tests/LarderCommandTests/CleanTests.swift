import FaultServer
import Glibc
import TestSupport
import Testing

/// `larder clean`: what nobody needs goes, and nothing else.
@Suite struct CleanTests {
    private let stock: Stock
    private let film = Content.pattern(lengthBytes: 100_000, seed: 1)
    private let small = Content.pattern(lengthBytes: 5000, seed: 2)

    init() throws {
        stock = try Stock()
        stock.serveManifest([stock.file("film", film), stock.file("small", small)])
    }

    private func clean(_ more: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["clean", "--library", stock.library] + more)
    }

    private func orphan(_ name: String) -> String { "\(stock.library)/store/m/small/\(name)" }

    /// A library with one bundle, and what runs of all kinds left in it.
    private func leave(manifest: [String] = []) async throws {
        #expect(try await stock.sync("--only", "small").status == .exited(0))
        for name in ["stray", film.sha256] { try pause(name) }
        let store = try #require(try directoryEntries(FilePathBytes("\(stock.library)/store/m/small")).first)
        let receipt = try readFile("\(stock.library)/store/m/small/\(store).receipt")
        _ = try stock.directory.makeDirectory("library/store/m/small/old@0123456789abcdef")
        try writeFile([UInt8](repeating: 1, count: 70_000), to: orphan("old@0123456789abcdef/data"))
        try writeFile(receipt, to: orphan("old@0123456789abcdef.receipt"))
        _ = try stock.directory.makeDirectory("library/.larder/staging/7")
        try writeFile([UInt8](repeating: 1, count: 30_000), to: "\(stock.library)/.larder/staging/7/data")
    }

    /// A download of so many bytes, and its record.
    private func pause(_ name: String) throws {
        let path = "\(stock.library)/.larder/partial/\(name).part"
        try writeFile([UInt8](repeating: 7, count: 50_000), to: path)
        let digest = name == film.sha256 ? #", "sha256": "\#(name)""# : ""
        let record = """
            {"format": "larder-resume/1", "url": "http://a.example/x", "finalURL": "http://a.example/x", "entityTag": "\\"1\\"",
             "ranges": [[0, 50000]], "flushedBytes": 0, "boot": ""\(digest)}
            """
        try writeFile(Array(record.utf8), to: path + ".resume")
    }

    private func names(_ path: String) throws -> Set<String> {
        Set(try directoryEntries(FilePathBytes("\(stock.library)/\(path)")).map(\.description))
    }

    private func kept(_ name: String) -> Set<String> { ["\(name).part", "\(name).part.resume"] }

    @Test func whatNobodyNeedsGoesAndWhatIsPublishedStays() async throws {
        try await leave()
        let result = try await clean("--json")
        #expect(result.status == .exited(0), "\(result)")
        #expect(try names(".larder/partial") == kept(film.sha256), "the published manifest asks for it")
        #expect(try names(".larder/staging").isEmpty)
        #expect(try names("store/m/small").count == 2)
        #expect(try stock.difference("small", small) == nil)
        let cleaned = try #require(result.events.first { $0.name == "library.cleaned" })
        #expect(cleaned["partials"] == 1 && cleaned["contents"] == 1 && cleaned["bytes"] ?? 0 >= 150_000)
        #expect(result.events.count { $0.name == "partial.evicted" } == 1)
        #expect(result.events.last?.name == "run.finished")
        #expect(try await clean().outputText == "nothing to remove\n")
    }

    /// A kill came while a record was being replaced, or bytes were being copied.
    @Test(arguments: [".part", ".part.resume"]) func whatWasToReplaceAPartialGoes(_ ending: String) async throws {
        #expect(try await stock.sync().status == .exited(0))
        let partial = "\(stock.library)/.larder/partial"
        let left = ".\(film.sha256)\(ending).0123456789abcdef"
        for name in [left, ".theirs\(ending).0123456789abcdeg"] { try writeFile([1], to: "\(partial)/\(name)") }
        #expect(try await clean().status == .exited(0))
        #expect(try names(".larder/partial") == [".theirs\(ending).0123456789abcdeg"])
    }

    @Test func aDryRunTellsTheSameAndTouchesNothing() async throws {
        try await leave()
        let before = try names("store/m/small")
        let told = try await clean("--dry-run", "--json")
        #expect(told.status == .exited(0), "\(told)")
        #expect(try names(".larder/partial") == kept("stray").union(kept(film.sha256)))
        #expect(try names(".larder/staging") == ["7"])
        #expect(try names("store/m/small") == before)
        #expect(!told.events.contains { $0.name == "partial.evicted" })
        let done = try await clean("--json")
        func figures(_ result: ChildProcess.Result) -> [Int?] {
            let cleaned = result.events.first { $0.name == "library.cleaned" }
            return ["partials", "contents", "bytes"].map { cleaned?[$0] }
        }
        #expect(figures(told) == figures(done) && figures(told)[0] == 1)
    }

    @Test func allPausedDownloadsGoWhereThatIsAskedFor() async throws {
        try await leave()
        #expect(try await clean("--partials").status == .exited(0))
        #expect(try names(".larder/partial").isEmpty)
    }

    @Test func whatANamedManifestAsksForStays() async throws {
        try await leave()
        let other = Content.pattern(lengthBytes: 9_000, seed: 3)
        try pause(other.sha256)
        let manifest = Stock.manifest([stock.file("other", other)], id: "other")
        stock.server.serve("/other.json", Resource(.text(manifest)))
        let result = try await clean(stock.server.url("/other.json"))
        #expect(result.status == .exited(0), "\(result)")
        #expect(try names(".larder/partial") == kept(film.sha256).union(kept(other.sha256)))
    }

    /// Nobody knows where it was read from, and so what it calls its downloads.
    @Test func whatAPublishedManifestMayAskForStaysUntilItIsNamed() async throws {
        stock.serveManifest([stock.file("film", film, hasDigest: false), stock.file("small", small)])
        try await leave()
        let careful = try await clean()
        #expect(careful.errorText.contains("name the manifest"), "\(careful)")
        #expect(try names(".larder/partial").isSuperset(of: kept("stray")))
        #expect(try await clean(stock.manifestURL).status == .exited(0))
        #expect(try names(".larder/partial").isEmpty)
    }

    /// What a killed run had brought of a bundle of several files is gone on with by the next one.
    @Test func filesThatTheNextRunTakesOverStayAsPausedDownloadsDo() async throws {
        let (one, two) = (Content.pattern(lengthBytes: 40_000, seed: 4), Content.pattern(lengthBytes: 50_000, seed: 5))
        let files = [("one", one), ("two", two)].map { name, content in
            stock.server.serve("/\(name).bin", Resource(content))
            return #"{"path": "\#(name)", "urls": ["\#(name).bin"], "sha256": "\#(content.sha256)"}"#
        }
        let pair = #"{"id": "pair", "kind": "files", "files": [\#(files.joined(separator: ", "))]}"#
        stock.serveManifest([stock.file("small", small), pair])
        #expect(try await stock.sync("--only", "small").status == .exited(0))
        stock.server.script("/two.bin", [.altered { $0.stalled(afterBytes: 20_000) }])
        let sync = try stock.startSync("--jobs", "2")
        try await stock.server.waitUntilSent("/two.bin", bytes: 20_000)
        // The first may still be on its way to its place.
        try await waitUntil("the note about the first") {
            try names(".larder/staging").contains { name in
                guard name.hasSuffix("-journal") else { return false }
                return try readFile("\(stock.library)/.larder/staging/\(name)").count { $0 == UInt8(ascii: "\n") } == 2
            }
        }
        sync.kill(SIGKILL)
        try await sync.waitForExit()
        let left = try names(".larder/staging")
        #expect(!left.isEmpty)

        #expect(try await clean().status == .exited(0))
        #expect(try names(".larder/staging") == left)
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.server.exchanges("/one.bin").count == 1, "it was kept")
    }

    /// Nobody knows what it asks for.
    @Test func whereAPublishedManifestIsLostPausedDownloadsStay() async throws {
        try await leave()
        for (how, command) in [("gone", []), ("damaged", ["--dry-run"]), ("damaged", [])] {
            let path = "\(stock.library)/current/m/.manifest.json"
            if how == "gone" { unlink(path) } else { try writeFile(Array(Stock.manifest([]).utf8), to: path) }
            let result = try await LarderProgram.run(["clean", "--library", stock.library] + command)
            #expect(result.status == .exited(0) && result.errorText.contains("all paused downloads"), "\(result)")
            #expect(try names(".larder/partial").isSuperset(of: kept(film.sha256)), "\(how)")
        }
    }

    @Test func aDryRunTellsTheSameWhereCurrentIsLost() async throws {
        try await leave()
        try check(unlink("\(stock.library)/current"), "unlink")
        let rehearsal = try await clean("--dry-run", "--json")
        let result = try await clean("--json")
        let counts = try [rehearsal, result].map { run in
            try #require(run.events.first { $0.name == "library.cleaned" }?["partials"], "\(run)")
        }
        #expect(counts == [1, 1], "\(rehearsal)")
        #expect(try names(".larder/partial") == kept(film.sha256))
    }

    @Test func aManifestThatCannotBeReadLetsNothingGo() async throws {
        try await leave()
        let result = try await clean(stock.server.url("/gone.json"))
        #expect(result.status == .exited(66), "\(result)")
        #expect(try names(".larder/partial").isSuperset(of: kept("stray")))
        #expect(try names(".larder/staging") == ["7"])
    }

    @Test(arguments: [[], ["--dry-run"]]) func aLibraryInUseIsLeftAlone(_ more: [String]) async throws {
        stock.server.script("/film.bin", [.altered { $0.stalled(afterBytes: 50_000) }])
        let sync = try stock.startSync()
        try await stock.server.waitUntilSent("/film.bin", bytes: 50_000)
        let result = try await LarderProgram.run(["clean", "--library", stock.library, "--partials"] + more)
        #expect(result.status == .exited(75), "\(result)")
        #expect(try stock.partials().contains("\(film.sha256).part"))
        sync.kill(SIGTERM)
        try await sync.waitForExit()
    }

    @Test func whatIsNoLibraryIsLeftAlone() async throws {
        let result = try await LarderProgram.run(["clean", "--library", stock.directory["nowhere"]])
        #expect(result.status == .exited(66), "\(result)")
        #expect(try !directoryEntries(FilePathBytes(stock.directory.path)).map(\.description).contains("nowhere"))
    }

    @Test func moreBundlesThanDescriptorsAreNoTrouble() async throws {
        stock.serveManifest((0..<100).map { stock.file("b\($0)", .pattern(lengthBytes: 10, seed: UInt64($0))) })
        #expect(try await stock.sync().status == .exited(0))
        let program = try LarderProgram.path
        for command in [["clean"], ["clean", "--dry-run", "--keep", "1"], ["status"]] {
            let result = try await ChildProcess.run(
                "sh", ["-c", #"ulimit -n 40; exec "$@""#, "sh", program] + command + ["--library", stock.library])
            #expect(result.status == .exited(0), "\(result)")
        }
    }

    @Test func oldGenerationsGoWhereThatIsAskedFor() async throws {
        for serial in 1...3 {
            stock.serveManifest(
                [stock.file("small", .pattern(lengthBytes: 5000, seed: UInt64(serial)))], serial: serial)
            #expect(try await stock.sync().status == .exited(0))
        }
        #expect(try await clean().outputText == "nothing to remove\n")
        #expect(try await clean("--keep", "1").outputText == "nothing to remove\n", "they are young")
        let told = try await clean("--keep", "1", "--keep-age", "0s", "--dry-run", "--json")
        let cleaned = try #require(told.events.first { $0.name == "library.cleaned" })
        #expect(cleaned["generations"] == 2 && cleaned["contents"] == 2)
        let done = try await clean("--keep", "1", "--keep-age", "0s")
        #expect(done.outputText.contains("2 old generations, 2 contents that no generation names"), "\(done)")
        #expect(try names("generations") == ["000003"] && names("store/m/small").count == 2)
    }

    /// From standard input a manifest has no place of its own.
    @Test func aManifestFromStandardInputCanBeGivenItsBase() async throws {
        stock.serveManifest([stock.file("film", film, hasDigest: false), stock.file("small", small)])
        try await leave()
        let manifest = Stock.manifest([stock.file("film", film, hasDigest: false), stock.file("small", small)])
        let result = try await LarderProgram.run(
            ["clean", "-", "--base", stock.server.url("/"), "--library", stock.library], input: Array(manifest.utf8))
        #expect(result.status == .exited(0) && result.problems.isEmpty, "\(result)")
        #expect(try names(".larder/partial").isEmpty, "it is known what the manifest calls its downloads")
    }
}
