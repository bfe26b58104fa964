import FaultServer
import Glibc
import JSONSyntax
import TestSupport
import Testing

/// `larder status`, `history` and `explain`: looks that change nothing.
@Suite struct StatusTests {
    private let stock: Stock
    private let film = Content.pattern(lengthBytes: 100_000, seed: 1)
    private let small = Content.pattern(lengthBytes: 5000, seed: 2)

    init() throws { stock = try Stock() }

    private func look(_ command: String, _ more: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run([command, "--library", stock.library] + more)
    }

    private func status(_ more: String...) async throws -> JSONValue {
        let result = try await LarderProgram.run(["status", "--json", "--library", stock.library] + more)
        #expect(result.status == .exited(0), "\(result)")
        return try JSONDocument(result.output.filter { $0 != UInt8(ascii: "\n") }, name: "status").root
    }

    private func bundle(_ id: String, in status: JSONValue) throws -> JSONValue {
        let bundles = status["manifests"].map { Array($0.elements) }?.first?["bundles"]
        return try #require(bundles.flatMap { $0.elements.first { $0["id"]?.string == id } })
    }

    @Test func whatIsPublishedIsToldByItsReceipts() async throws {
        stock.server.serve("/film.bin", Resource(film))
        stock.serveManifest([
            stock.file("small", small),
            #"{"id": "film", "kind": "files", "version": "7", "files": [{"path": "data", "urls": ["film.bin?token=secret"], "sha256": "\#(film.sha256)"}]}"#,
        ])
        #expect(try await stock.sync().status == .exited(0))
        let before = try stock.snapshot()

        let status = try await status()
        let (film, small) = (try bundle("film", in: status), try bundle("small", in: status))
        #expect(status["format"]?.string == "larder-status/1" && status["library"]?.string == stock.library)
        #expect(status["generation"]?.integer == 1 && status["writingProcess"]?.isNull == true)
        #expect(status["manifests"]?.elements.map { $0["serial"]?.integer } == [1])
        #expect(film["state"]?.string == "upToDate" && film["version"]?.string == "7")
        #expect(film["bytes"]?.integer == 100_000 && film["files"]?.integer == 1)
        #expect(film["url"]?.string == stock.server.url("/film.bin") + "?…")
        #expect(film["sources"]?.elements.map(\.string) == [self.film.sha256])
        let store = try #require(film["store"]?.string)
        #expect(try directoryEntries(FilePathBytes("\(stock.library)/store/m/film/\(store)")) == ["data"])
        #expect(small["key"]?.string?.utf8.count == 64 && small["bytes"]?.integer == 5000)

        let text = try await look("status").outputText
        #expect(text.contains("generation 1, published") && text.contains("m, serial 1, up to date"), "\(text)")
        #expect(text.contains("7  ") && text.contains("100.0 kB  1 file  up to date, from http"), "\(text)")
        #expect(!text.contains("secret"), "\(text)")
        #expect(try await look("explain", "film").outputText.contains("secret") == false)
        #expect(try stock.snapshot() == before, "nothing is written")
    }

    /// In the run's own line, and in that of the history.
    @Test func whatStoppedARunIsNamed() async throws {
        stock.server.serve("/film.bin", Resource(film))
        stock.serveManifest([stock.file("film", film)])
        let run = try await stock.sync("--max-bytes", "40K", "--json")
        #expect(run.status == .exited(3), "\(run)")
        #expect(try run.finished.value["stopped"]?.string == "byteBudget")
        #expect(run.errorText.contains("1 paused, stopped by its byte budget; fetched"), "\(run)")
        let text = try await look("status").outputText
        #expect(
            text.contains("sync: 0 published, 0 unchanged, 0 failed, 1 paused; stopped by its byte budget;"), "\(text)")
        #expect(try await status()["lastRun"]?["stopped"]?.string == "byteBudget")
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await status()["lastRun"]?["stopped"]?.isNull == true)
    }

    /// Two commands tell of damage: they agree.
    @Test(arguments: [false, true]) func whatIsDamagedIsExplained(isHeld: Bool) async throws {
        stock.serveManifest([stock.file("small", small)])
        #expect(try await stock.sync().status == .exited(0))
        if isHeld { #expect(try await look("pin").status == .exited(0)) }
        try check(truncate("\(stock.library)/current/m/small/data", 10), "truncate")
        #expect(try await look("verify").status == .exited(1))
        let explained = try await look("explain", "small").outputText
        #expect(explained.contains("What is here is what it asks for, but damaged."), "\(explained)")
        let way = isHeld ? "larder verify --repair mends it" : "the next run mends it"
        #expect(explained.contains(way) && !explained.contains("nothing to do"), "\(explained)")
        let told = try await look("status").outputText
        #expect(
            told.contains(isHeld ? "damaged; larder verify --repair mends it" : "damaged; the next sync"), "\(told)")
    }

    /// A run does nothing for what is held.
    @Test func ofWhatIsHeldNothingIsTriedAgain() async throws {
        stock.serveManifest([
            stock.file("small", small), #"{"id": "gone", "kind": "ebook", "urls": ["gone.bin"], "size": 10}"#,
        ])
        #expect(try await stock.sync().status == .exited(2))
        #expect(try await look("pin").status == .exited(0))
        let (status, explained) = (try await look("status"), try await look("explain", "gone"))
        for told in [status.outputText, explained.outputText] {
            #expect(told.contains("not tried again while the library is held"), "\(told)")
            #expect(!told.contains("sync at once") && !told.contains("he next run tries"), "\(told)")
        }
        #expect(explained.outputText.contains("Once that has ended the next run has 10 B to fetch"), "\(explained)")
    }

    @Test func onlyWhatIsNamedIsTold() async throws {
        stock.serveManifest([stock.file("film", film), stock.file("small", small)])
        #expect(try await stock.sync().status == .exited(0))
        for (name, ids) in [("film", ["film"]), ("m/small", ["small"]), ("m", ["film", "small"])] {
            let manifests = try await status(name)["manifests"].map { Array($0.elements) } ?? []
            #expect(manifests.first?["bundles"]?.elements.map { $0["id"]?.string } == ids)
        }
        let unknown = try await look("status", "m/other")
        #expect(unknown.status == .exited(64) && unknown.errorText.contains("m/other"), "\(unknown)")
        #expect(try await look("status", "../m").status == .exited(64))
    }

    @Test func withoutTheIndexWhatIsOnTheDiskIsTold() async throws {
        stock.serveManifest([
            stock.file("small", small), #"{"id": "gone", "kind": "ebook", "urls": ["gone.bin"]}"#,
        ])
        #expect(try await stock.sync().status == .exited(2))
        #expect(unlink("\(stock.library)/.larder/state.db") == 0)
        let status = try await status()
        #expect(status["hasIndex"]?.bool == false && status["lastRun"]?.isNull == true)
        #expect(try bundle("small", in: status)["state"]?.string == "published")
        #expect(try bundle("gone", in: status)["state"]?.string == "missing", "the published manifest lists it")
        #expect(try await look("status").outputText.contains("no index"))
        #expect(try await look("history").outputText == "no run is remembered\n")
        #expect(try await look("explain", "small").status == .exited(0))
    }

    @Test func aRunAtWorkIsToldAndNotDisturbed() async throws {
        // Of smaller ones no record is written while they come.
        let film = Content.pattern(lengthBytes: 1_000_000, seed: 3)
        stock.serveManifest([stock.file("film", film), stock.file("small", small)])
        stock.server.script("/film.bin", [.altered { $0.stalled(afterBytes: 500_000) }])
        let sync = try stock.startSync()
        try await stock.server.waitUntilSent("/film.bin", bytes: 500_000)
        try await waitUntil("the partial file and its record") {
            try stock.partialBytes() > 0 && stock.partials().contains { $0.hasSuffix(".resume") }
        }
        let status = try await status()
        #expect(status["writingProcess"]?.integer == Int(sync.processID) && status["generation"]?.isNull == true)
        let download = try #require(status["unfinished"]?.elements.first { $0["sha256"]?.string == film.sha256 })
        #expect(download["url"]?.isNull == false && download["heldBytes"]?.integer ?? 0 > 0)
        let text = try await look("status").outputText
        #expect(text.contains("a run is at work: process \(sync.processID)"), "\(text)")
        #expect(text.contains("nothing has been published") && text.contains("at work, or killed"), "\(text)")
        #expect(sync.soFar.status == nil)
        sync.kill(SIGTERM)
        #expect(try await sync.waitForExit().status == .exited(143))
        #expect(try await self.status()["writingProcess"]?.isNull == true)
    }

    @Test func howFarAPausedBundleIsIsTold() async throws {
        stock.serveManifest([stock.file("film", film), stock.file("small", small)])
        stock.server.script("/film.bin", [.altered { $0.stalled(afterBytes: 50_000) }])
        let sync = try stock.startSync("--only", "film")
        try await stock.server.waitUntilSent("/film.bin", bytes: 50_000)
        try await waitUntil("the partial file") { try stock.partialBytes() > 0 }
        sync.kill(SIGTERM)
        #expect(try await sync.waitForExit().status == .exited(143))
        let paused = try bundle("film", in: try await status())
        #expect(paused["state"]?.string == "paused" && paused["store"]?.isNull == true)
        #expect(paused["paused"]?["plannedBytes"]?.integer == 100_000)
        let held = try #require(paused["paused"]?["heldBytes"]?.integer)
        let partial = try stock.partialBytes()
        #expect(held == partial, "\(held) of \(partial)")
        let text = try await look("status").outputText
        #expect(text.contains("paused") && text.contains("of 100.0 kB"), "\(text)")
        let explained = try await look("explain", "m/film").outputText
        #expect(explained.contains("The next run has 100.0 kB to fetch, of which"), "\(explained)")

        #expect(try await stock.sync().status == .exited(0))
        #expect(try bundle("film", in: try await status())["state"]?.string == "upToDate")
    }

    @Test func whyABundleFailedAndWhenItIsTriedAgainIsTold() async throws {
        stock.server.serve("/bad.bin", Resource(small))
        stock.serveManifest(
            [
                stock.file("small", small),
                #"{"id": "bad", "kind": "files", "files": [{"path": "data", "urls": ["bad.bin"], "sha256": "\#(film.sha256)"}]}"#,
            ], more: #""mirrors": ["\#(stock.server.url("/"))"],"#)
        #expect(try await stock.refresh().status == .exited(2))
        #expect(try await stock.refresh().status == .exited(2))
        let failed = try bundle("bad", in: try await status())
        #expect(failed["state"]?.string == "failed" && failed["failures"]?.integer == 2)
        #expect(failed["failure"]?.string?.contains("other bytes") == true)
        let next = try #require(failed["nextTry"]?.string)
        let text = try await look("status").outputText
        #expect(text.contains("failed 2 times") && text.contains("refresh tries again after \(next)"), "\(text)")
        let explained = try await look("explain", "bad").outputText
        #expect(explained.contains("refresh leaves it alone until \(next)"), "\(explained)")
        #expect(explained.contains("It has failed 2 times in a row"), "\(explained)")
        #expect(try bundle("small", in: try await status())["failure"]?.isNull == true)
    }

    @Test func theLastRunsAreTold() async throws {
        stock.serveManifest([stock.file("small", small)])
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await stock.refresh().status == .exited(0))
        let lines = try await look("history").outputLines
        #expect(lines.count == 2)
        #expect(lines.first?.contains(" refresh: 0 published, 1 unchanged, 0 failed; fetched") == true, "\(lines)")
        #expect(lines.last?.contains(" sync: 1 published") == true && lines.last?.hasSuffix("exit 0") == true)
        #expect(try await look("history", "--last", "1").outputLines.count == 1)
        let json = try JSONDocument(
            try await look("history", "--json").output.dropLast().map(\.self), name: "history")
        #expect(json.root["runs"]?.elements.map { $0["command"]?.string } == ["refresh", "sync"])
        #expect(json.root["runs"]?.elements.map { $0["exit"]?.integer } == [0, 0])
    }

    /// One that waits for an index that somebody else holds.
    @Test func aLookCanBeInterrupted() async throws {
        stock.serveManifest([stock.file("small", small)])
        #expect(try await stock.sync().status == .exited(0))
        let index = OwnedDescriptor(try check(open("\(stock.library)/.larder/state.db", O_RDWR | O_CLOEXEC), "open"))
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        try check(fcntl(index.number, F_SETLK, &lock), "lock the index")
        let look = try LarderProgram.start(["status", "--library", stock.library])
        try await look.terminate(once: "ls -l /proc/\(look.processID)/fd | grep -q 'state[.]db$'")
        #expect(try await look.waitForExit().status == .signalled(SIGTERM))
    }

    @Test(arguments: ["status", "history"]) func whatIsNoLibraryIsToldSo(_ command: String) async throws {
        let result = try await LarderProgram.run([command, "--library", stock.directory["nowhere"]])
        #expect(result.status == .exited(66) && result.problems.count == 1, "\(result)")
    }
}
