import FaultServer
import Glibc
import TestSupport
import Testing

/// `larder rollback`, `pin`, `unpin` and `forget`, and what `sync` and `refresh` make of them.
@Suite struct SteeringTests {
    private let stock: Stock
    private let old = Content.pattern(lengthBytes: 1000, seed: 1)
    private let new = Content.pattern(lengthBytes: 1000, seed: 2)
    private let newer = Content.pattern(lengthBytes: 1000, seed: 3)

    init() throws { stock = try Stock() }

    private func larder(_ command: String, _ more: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run([command, "--library", stock.library] + more)
    }

    private func publish(_ content: Content, serial: Int) async throws {
        stock.serveManifest([stock.file("a", content)], serial: serial)
        #expect(try await stock.sync().status == .exited(0))
    }

    /// Serials 1 and 2, and then back to the first.
    private func rolledBack() async throws {
        try await publish(old, serial: 1)
        try await publish(new, serial: 2)
        let result = try await larder("rollback")
        #expect(result.status == .exited(0) && result.outputText.hasPrefix("generation 1 is current"), "\(result)")
    }

    private func sees(_ content: Content) throws -> Bool { try stock.difference("a", content) == nil }

    @Test func whatWasLeftIsNotPublishedAgain() async throws {
        try await rolledBack()
        #expect(try sees(old))
        for run in [try await stock.sync(), try await stock.refresh()] {
            #expect(run.status == .exited(0), "\(run)")
            #expect(try sees(old) && stock.generation() == "generations/000001")
        }
        let told = try await stock.sync()
        #expect(told.errorText.contains("held at generation 1; a higher serial, or larder unpin, ends that"), "\(told)")
        #expect(try await stock.refresh().errors.isEmpty, "whoever set the pin knows")
        let status = try await larder("status").outputText
        #expect(status.contains("held at generation 1 until larder unpin, or a higher serial: m above 2"), "\(status)")
        #expect(try await larder("history").outputText.contains(" rollback: "))
    }

    @Test func aDamagedSerialIsNotHeldAgainst() async throws {
        try await publish(old, serial: 1)
        try await publish(new, serial: 2)
        let path = "\(stock.library)/current/m/.manifest.json"
        let text = String(decoding: try readFile(path), as: UTF8.self)
        try writeFile(Array(text.replacing(#""serial": 2"#, with: #""serial": 9"#).utf8), to: path)
        #expect(try await larder("rollback").status == .exited(0))
        let status = try await larder("status").outputText
        #expect(status.contains("m above 2"), "\(status)")
        try await publish(newer, serial: 3)
        #expect(try sees(newer))
    }

    @Test func aHigherSerialIsPublishedAndEndsIt() async throws {
        try await rolledBack()
        try await publish(newer, serial: 3)
        #expect(try sees(newer) && stock.generation() == "generations/000003")
        #expect(try await !larder("status").outputText.contains("held at"))
        try await publish(old, serial: 4)
        #expect(try sees(old))
    }

    @Test func unpinningLetsTheSameSerialBePublishedAgain() async throws {
        try await rolledBack()
        #expect(try await larder("unpin").outputText.hasPrefix("unpinned"))
        let requests = stock.server.exchanges("/a.bin").count
        #expect(try await stock.refresh().status == .exited(0))
        #expect(try sees(new))
        #expect(stock.server.exchanges("/a.bin").count == requests, "it was here")
        #expect(try await larder("unpin").outputText == "nothing was pinned\n")
    }

    @Test func anotherManifestOfTheSameRunIsPublished() async throws {
        try await rolledBack()
        stock.server.serve("/other.json", Resource(.text(Stock.manifest([stock.file("b", new)], id: "other"))))
        let both = [stock.manifestURL, stock.server.url("/other.json")]
        #expect(try await stock.sync(manifests: both).status == .exited(0))
        #expect(try sees(old) && stock.published("other") == ["b"])
        #expect(try await larder("status").outputText.contains("m above 2"), "it is held on")
    }

    @Test func thePinIsInNoIndexThatMayBeLost() async throws {
        try await rolledBack()
        for name in ["state.db", "next-current"] { unlink("\(stock.library)/.larder/\(name)") }
        #expect(try await stock.refresh().status == .exited(0))
        #expect(try sees(old))
    }

    @Test func aDryRunHeedsIt() async throws {
        try await rolledBack()
        let result = try await stock.sync("--dry-run")
        #expect(result.status == .exited(0) && !result.outputText.contains("fetch"), "\(result)")
        #expect(result.errorText.contains("held at generation 1"), "\(result)")
    }

    @Test func whatIsPinnedByHandStaysWhateverArrives() async throws {
        try await publish(old, serial: 1)
        #expect(try await larder("pin").outputText == "pinned to generation 1 until larder unpin\n")
        #expect(try await stock.sync().errors.isEmpty, "it is what is published")
        try await publish(new, serial: 2)
        #expect(try sees(old))
        #expect(try await stock.sync().errorText.contains("held at generation 1"))
        #expect(try await larder("status").outputText.contains("pinned to generation 1"))
        #expect(try await larder("unpin").status == .exited(0))
        #expect(try await stock.refresh().status == .exited(0))
        #expect(try sees(new))
    }

    /// Whoever pinned it meant it until they say otherwise.
    @Test func goingBackEndsNoPin() async throws {
        try await publish(old, serial: 1)
        try await publish(new, serial: 2)
        #expect(try await larder("pin").status == .exited(0))
        let result = try await larder("rollback")
        #expect(result.outputText == "generation 1 is current, and stays so until larder unpin\n", "\(result)")
        try await publish(newer, serial: 3)
        #expect(try sees(old))
        let status = try await larder("status").outputText
        #expect(status.contains("pinned to generation 1 until larder unpin"), "\(status)")
    }

    @Test(arguments: [true, false]) func forgettingMovesAPinAlong(isPinned: Bool) async throws {
        try await publish(old, serial: 1)
        try await publish(new, serial: 2)
        stock.server.serve("/other.json", Resource(.text(Stock.manifest([stock.file("b", new)], id: "other"))))
        #expect(try await stock.sync(manifests: [stock.server.url("/other.json")]).status == .exited(0))
        #expect(try await isPinned ? larder("pin").status == .exited(0) : larder("rollback").status == .exited(0))
        if !isPinned {
            stock.server.serve("/third.json", Resource(.text(Stock.manifest([stock.file("b", new)], id: "third"))))
            #expect(try await stock.sync(manifests: [stock.server.url("/third.json")]).status == .exited(0))
        }
        let result = try await larder("forget", isPinned ? "other" : "third")
        let generation = try #require(try stock.generation().split(separator: "/").last.flatMap { Int($0) })
        #expect(result.outputText.contains("forgotten with generation \(generation)"), "\(result)")
        #expect(result.outputText.contains("held there until"), "\(result)")
        let status = try await larder("status").outputText
        #expect(status.contains("\(isPinned ? "pinned to" : "held at") generation \(generation)"), "\(status)")
    }

    @Test func aPinThatCannotBeReadKeepsEverythingAsItIs() async throws {
        try await publish(old, serial: 1)
        try writeFile(Array("{".utf8), to: "\(stock.library)/.larder/pin")
        stock.serveManifest([stock.file("a", new)], serial: 2)
        let result = try await stock.sync()
        #expect(result.status == .exited(1) && result.errorText.contains("larder unpin"), "\(result)")
        #expect(try sees(old))
        #expect(try await larder("status").outputText.contains("warning: "))
        #expect(try await larder("unpin").status == .exited(0))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try sees(new))
    }

    @Test func goingBackToWhatIsNotThereChangesNothing() async throws {
        try await publish(old, serial: 1)
        for (more, code) in [([], 1), (["--to", "7"], 64)] as [([String], Int32)] {
            let result = try await LarderProgram.run(["rollback", "--library", stock.library] + more)
            #expect(result.status == .exited(code) && result.problems.count == 1, "\(result)")
        }
        #expect(try await larder("rollback", "--to", "x").status == .exited(64))
        #expect(try await !larder("status").outputText.contains("held"))
    }

    @Test func aNamedGenerationCanBeGoneBackTo() async throws {
        for (serial, content) in [old, new, newer].enumerated() { try await publish(content, serial: serial + 1) }
        #expect(try await larder("rollback", "--to", "1").status == .exited(0))
        #expect(try sees(old))
        #expect(try await larder("rollback", "--to", "2").status == .exited(0))
        #expect(try sees(new), "forward again, but not to the end")
        #expect(try await stock.sync().status == .exited(0))
        #expect(try sees(new))
    }

    @Test(arguments: ["rollback", "pin", "unpin"]) func aLibraryInUseIsLeftAlone(_ command: String) async throws {
        try await publish(old, serial: 1)
        try await publish(new, serial: 2)
        stock.serveManifest([stock.file("b", .pattern(lengthBytes: 100_000, seed: 9))], serial: 3)
        stock.server.script("/b.bin", [.altered { $0.stalled(afterBytes: 50_000) }])
        let sync = try stock.startSync()
        try await stock.server.waitUntilSent("/b.bin", bytes: 50_000)
        let result = try await larder(command)
        #expect(result.status == .exited(75) && result.errorText.contains("process \(sync.processID)"), "\(result)")
        sync.kill(SIGTERM)
        try await sync.waitForExit()
    }

    // MARK: Forgetting

    @Test func aForgottenManifestLeavesWithItsContent() async throws {
        try await publish(old, serial: 5)
        stock.server.serve("/other.json", Resource(.text(Stock.manifest([stock.file("b", new)], id: "other"))))
        #expect(try await stock.sync(manifests: [stock.server.url("/other.json")]).status == .exited(0))
        let result = try await larder("forget", "m", "--keep", "1", "--keep-age", "0s")
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.published("") == ["other"])
        #expect(try directoryEntries(FilePathBytes("\(stock.library)/store")) == ["other"])
        #expect(try await !larder("status").outputText.contains("\nm,"))
        let unknown = try await larder("forget", "m")
        #expect(unknown.status == .exited(64) && unknown.errorText.contains("there are: other"), "\(unknown)")

        stock.serveManifest([stock.file("a", old)], serial: 4)
        #expect(try await stock.sync().status == .exited(77), "an older one is refused as before")
        stock.serveManifest([stock.file("a", old)], serial: 5)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try sees(old))
    }

    @Test func contentStaysWithTheGenerationsThatHaveIt() async throws {
        try await publish(old, serial: 1)
        let result = try await larder("forget", "m")
        #expect(result.outputText.contains("larder clean --keep 1 --keep-age 0s"), "\(result)")
        #expect(try stock.published("").isEmpty)
        #expect(try await larder("rollback").status == .exited(0))
        #expect(try sees(old))
    }
}
