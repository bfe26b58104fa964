import ContentLibrary
import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// What a repair takes of a disk, what it leaves to others, and what becomes of it where it is cut short.
@Suite struct RepairBoundsTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }

    init() throws { library = try RestingLibrary() }

    private func publish(_ bundles: [String], serial: Int = 1) async throws {
        stock.serveManifest(bundles, serial: serial)
        let result = try await stock.sync()
        #expect(result.status == .exited(0), "\(result)")
    }

    private func repair(minFree: String = "0") async throws -> ChildProcess.Result {
        try await LarderProgram.run(["verify", "--repair", "--library", stock.library, "--min-free", minFree])
    }

    // MARK: Room

    @Test(arguments: ["files", "archive", "joined"]) func withoutRoomNothingIsFetched(_ kind: String) async throws {
        let piece = Content.pattern(lengthBytes: 9_000, seed: 3)
        stock.server.serve("/0.ts", Resource(piece))
        let path: String
        switch kind {
        case "files":
            try await publish([library.files()])
            path = "one.txt"
        case "archive":
            try await publish([stock.archive("set", storedZip(["x.txt": Array("some text".utf8)]))])
            path = "x.txt"
        default:
            try await publish([
                #"{"id": "set", "kind": "segments", "join": "all.ts", "segments": [{"path": "0.ts", "urls": ["0.ts"], "sha256": "\#(piece.sha256)"}]}"#
            ])
            path = "all.ts"
        }
        try library.flip("\(library.store())/\(path)")
        let requests = ["/one.txt", "/set.zip", "/0.ts"].map { stock.server.exchanges($0).count }
        let refused = try await repair(minFree: "1000000G")
        #expect(refused.status == .exited(73) && refused.errorText.contains("must stay free"), "\(refused)")
        #expect(["/one.txt", "/set.zip", "/0.ts"].map { stock.server.exchanges($0).count } == requests)
        #expect(try await repair().status == .exited(0))
    }

    /// A copy may have to be made of what is found elsewhere, which a mode that was changed alone doesn't take.
    @Test func whatTakesNoRoomIsMendedOnAFullDisk() async throws {
        try await publish([library.files()])
        try writeFile([1], to: "\(library.store())/stray")
        #expect(try await repair(minFree: "1000000G").status == .exited(0))
    }

    @Test func whatWasReplacedIsBoundedAndGivenBack() async throws {
        let ids = (0..<10).map { "b\($0)" }
        try await publish(ids.map { stock.file($0, .pattern(lengthBytes: 20_000, seed: 5)) })
        for id in ids { try library.flip("\(library.store(id))/data") }
        #expect(try await repair().status == .exited(0))
        #expect(try library.quarantined().count == 8)
        let told = try await LarderProgram.run(["clean", "--dry-run", "--library", stock.library])
        #expect(told.outputText.contains("kB would be free"), "\(told)")
        #expect(try await LarderProgram.run(["clean", "--library", stock.library]).status == .exited(0))
        #expect(try library.quarantined().isEmpty)
    }

    @Test func whatWasReplacedIsGivenBackForWantOfRoom() async throws {
        try await publish([library.files()])
        try library.flip("\(library.store())/one.txt")
        #expect(try await repair().status == .exited(0))
        #expect(try library.quarantined().count == 1)
        stock.serveManifest([library.files(), stock.file("new", .pattern(lengthBytes: 900, seed: 1))], serial: 2)
        let refused = try await stock.sync("--min-free", "1000000G")
        #expect(refused.status == .exited(73), "\(refused)")
        #expect(try library.quarantined().isEmpty)
    }

    @Test func whatAReaderMayHoldIsNotGivenBack() async throws {
        try await publish([library.files()])
        try library.flip("\(library.store())/one.txt")
        #expect(try await repair().status == .exited(0))
        let generation = try OwnedDescriptor.open("\(stock.library)/current/", flags: O_RDONLY | O_DIRECTORY)
        #expect(try generation.lock(exclusive: false))
        #expect(try await LarderProgram.run(["clean", "--library", stock.library]).status == .exited(0))
        #expect(try library.quarantined().count == 1)
        generation.unlock()
        #expect(try await LarderProgram.run(["clean", "--library", stock.library]).status == .exited(0))
        #expect(try library.quarantined().isEmpty)
    }

    @Test func whatWasFoundOfContentThatIsCleanedIsForgotten() async throws {
        try await publish([library.files()])
        try library.flip("\(library.store())/one.txt")
        #expect(try await library.verify().status == .exited(1))
        try await publish([library.files("set", ["new": .pattern(lengthBytes: 10, seed: 5)])], serial: 2)
        let clean = ["clean", "--keep", "1", "--keep-age", "0s", "--library", stock.library]
        #expect(try await LarderProgram.run(clean).status == .exited(0))
        let index = try #require(try Library.open(stock.library, for: .reading).readStateIndex())
        #expect(try index.verifications().isEmpty)
    }

    // MARK: What was decrypted

    @Test func whatWasPublishedInTheClearIsMendedInTheClear() async throws {
        for folder in ["c/v", "c/keys"] {
            for name in try Directory.open("\(mediaFolder)/\(folder)").names().map(\.description) {
                stock.serve("/\(folder)/\(name)", try mediaFile("\(folder)/\(name)"))
            }
        }
        stock.serveFilm("c/v/index.m3u8")
        #expect(try await stock.sync("--decrypt").status == .exited(0))
        let kept = try await library.keep()
        let explained = try await LarderProgram.run(["explain", "film", "--library", stock.library])
        #expect(explained.outputText.contains("asks its servers whether they have something else"), "\(explained)")
        let name = try #require(
            try stock.filmText().split(separator: "\n").filter { !$0.hasPrefix("#") }.dropFirst().first)
        try library.flip("\(library.store("film"))/\(name)")
        let result = try await repair()
        #expect(result.status == .exited(0), "\(result)")
        #expect(try library.differences(from: kept) == [])
        #expect(stock.requests("/c/v/s7794.ts").count == 1 && stock.requests("/c/v/s7795.ts").count == 2)
    }

    // MARK: What others are at

    @Test func damageOfWhatIsHeldIsToldWithTheWayOut() async throws {
        try await publish([library.files()])
        #expect(try await LarderProgram.run(["pin", "--library", stock.library]).status == .exited(0))
        try library.flip("\(library.store())/one.txt")
        #expect(try await library.verify().status == .exited(1))
        let sync = try await stock.sync()
        #expect(sync.status == .exited(0) && sync.errorText.contains("larder verify --repair mends it"), "\(sync)")
        #expect(try await repair().status == .exited(0))
        #expect(try await !stock.sync().errorText.contains("larder verify"))
    }

    /// Nothing that is published, or held, tells what a newer manifest lists.
    @Test(arguments: [false, true]) func whatWasBroughtForANewerManifestStays(isHeld: Bool) async throws {
        try await publish([library.files()])
        let one = Content.pattern(lengthBytes: 40_000, seed: 4)
        let two = Content.pattern(lengthBytes: 50_000, seed: 5)
        let files = [("one", one), ("two", two)].map { name, content in
            stock.server.serve("/p/\(name)", Resource(content))
            return #"{"path": "\#(name)", "urls": ["p/\#(name)"], "sha256": "\#(content.sha256)"}"#
        }
        let pair = #"{"id": "pair", "kind": "files", "files": [\#(files.joined(separator: ", "))]}"#
        stock.serveManifest([library.files(), pair], serial: 2)
        stock.server.script("/p/two", [.altered { $0.stalled(afterBytes: 20_000) }])
        let sync = try stock.startSync("--jobs", "2")
        try await stock.server.waitUntilSent("/p/two", bytes: 20_000)
        try await waitUntil("the note about the first") {
            try library.staged().contains { name in
                guard name.hasSuffix("-journal") else { return false }
                return try readFile("\(stock.library)/.larder/staging/\(name)").count { $0 == UInt8(ascii: "\n") } == 2
            }
        }
        sync.kill(SIGKILL)
        try await sync.waitForExit()

        if isHeld {
            #expect(try await LarderProgram.run(["pin", "--library", stock.library]).status == .exited(0))
            stock.serveManifest([library.files()], serial: 3)
            #expect(try await stock.sync().status == .exited(0))
            #expect(try await LarderProgram.run(["unpin", "--library", stock.library]).status == .exited(0))
        } else {
            try library.flip("\(library.store())/one.txt")
            #expect(try await repair().status == .exited(0))
        }
        stock.serveManifest([library.files(), pair], serial: 4)
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.server.exchanges("/p/one").count == 1)
    }

    // MARK: Cut short

    /// The moments between the receipt that is written and the one that is moved.
    enum Cut: String, CaseIterable {
        case beforeAside, beforeExchange, beforeReceipt

        var moment: FileCalls.Moment {
            switch self {
            case .beforeAside: .first("rename", on: "quarantine/content-")
            case .beforeExchange: .first("rename", on: "store/m/set/")
            case .beforeReceipt: .first("rename", on: ".receipt")
            }
        }
    }

    /// Its receipt proves nothing, so that the archive has to be had again: once.
    @Test(arguments: Cut.allCases, ["verify", "sync"])
    func whatWasFetchedForARepairIsNotFetchedAgain(_ cut: Cut, by command: String) async throws {
        let zip = storedZip(["a/x.txt": Array("some text".utf8), "y.txt": Array("more text".utf8)])
        stock.serveManifest(
            [stock.archive("set", zip)], more: #""mirrors": ["\#(stock.server.url("/"))"],"#)
        #expect(try await stock.sync().status == .exited(0))
        let kept = try await library.keep()
        let receipt = try library.store() + ".receipt"
        try check(truncate(receipt, off_t(readFile(receipt).count - 10)), "truncate")
        try library.flip("\(library.store())/y.txt")
        let calls = try await FileCalls(beneath: stock.library)
        let killed = try await LarderProgram.run(
            ["verify", "--repair", "--library", stock.library, "--min-free", "0"],
            environment: calls.environment(.kill, at: cut.moment))
        #expect(killed.status == .signalled(SIGKILL), "\(killed)")
        #expect(stock.server.exchanges("/set.zip").count == 2)

        let next = command == "sync" ? try await stock.sync() : try await repair()
        #expect(next.status == .exited(0), "\(next)")
        #expect(stock.server.exchanges("/set.zip").count == 2, "\(next)")
        #expect(try library.differences(from: kept) == [])
        #expect(try await library.verify().status == .exited(0))
        #expect(try library.staged() == [])
    }
}

/// Files of a new version that are here already.
@Suite struct HeldFilesTests {
    private let stock: Stock
    private static let count = 1000
    private static let new = Content.pattern(lengthBytes: 400_000, seed: 9_999)

    init() throws { stock = try Stock() }

    /// All of the last version's files, and a new one.
    private func prepare() async throws -> FileCalls {
        let files = (0..<Self.count).map { number in
            let content = Content.pattern(lengthBytes: 2_000, seed: UInt64(number))
            stock.server.serve("/f/\(number)", Resource(content))
            return #"{"path": "\#(number)", "urls": ["f/\#(number)"], "sha256": "\#(content.sha256)"}"#
        }
        stock.server.serve("/f/new", Resource(Self.new))
        let added = #"{"path": "new", "urls": ["f/new"], "sha256": "\#(Self.new.sha256)"}"#
        for (serial, files) in [(1, files), (2, files + [added])] {
            stock.serveManifest(
                [#"{"id": "set", "kind": "files", "files": [\#(files.joined(separator: ", "))]}"#], serial: serial)
            if serial == 1 { #expect(try await stock.sync().status == .exited(0)) }
        }
        return try await FileCalls(beneath: stock.library)
    }

    private func isLink(_ call: RecordedCall) -> Bool { if case .link = call { true } else { false } }

    @Test func areTakenWhileOthersAreFetched() async throws {
        let calls = try await prepare()
        let log = stock.directory["calls"]
        let sync = try await LarderProgram.run(stock.arguments(), environment: calls.environment(log: log))
        #expect(sync.status == .exited(0), "\(sync)")
        let recorded = try RecordedCall.all(in: readFile(log))
        let fetched = recorded.firstIndex { call in
            guard case .create(let place, _, _) = call else { return false }
            return place.name.description == "\(Self.new.sha256).part"
        }
        #expect(recorded.count(where: isLink) >= Self.count)
        // One is the new file's own.
        let taken = try recorded[#require(fetched)...].count(where: isLink)
        #expect(taken > 10)
    }

    @Test func areTakenNoFurtherOnceARunIsStopped() async throws {
        let calls = try await prepare()
        let log = stock.directory["calls"]
        let sync = try ChildProcess(
            LarderProgram.path, stock.arguments(),
            environment: calls.environment(.stop, at: .first("link", on: "staging"), log: log))
        try await sync.hasStopped()
        sync.kill(SIGTERM)
        sync.kill(SIGCONT)
        #expect(try await sync.waitForExit().status == .exited(143))
        #expect(try RecordedCall.all(in: readFile(log)).count(where: isLink) < Self.count / 2)
    }
}
