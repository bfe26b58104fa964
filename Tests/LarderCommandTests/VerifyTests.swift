import FaultServer
import Glibc
import JSONSyntax
import Platform
import TestSupport
import Testing

/// `larder verify` without `--repair`: what it finds, and that it touches nothing.
@Suite struct VerifyTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }

    init() throws { library = try RestingLibrary() }

    private func publish() async throws {
        stock.serveManifest([
            library.files(), stock.archive("pack", storedZip(["a/x.txt": Array("x".utf8), "y.txt": Array("y".utf8)])),
        ])
        #expect(try await stock.sync().status == .exited(0))
    }

    @Test func whatIsWholeIsToldSo() async throws {
        try await publish()
        let before = try stock.snapshot().filter { !$0.contains(".larder") }
        let result = try await library.verify()
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.outputText == "2 contents read, 6 files of 75.1 kB: all whole\n", "\(result)")
        #expect(result.errorText.isEmpty, "\(result)")
        #expect(try stock.snapshot().filter { !$0.contains(".larder") } == before)
    }

    @Test(arguments: Damage.allCases) func whatIsDamagedIsFoundAndTold(_ damage: Damage) async throws {
        try await publish()
        try damage.strike(library, library.store())
        let result = try await library.verify("--json")
        #expect(result.status == .exited(1), "\(result)")
        let found = result.events.filter { $0.name == "content.damaged" }
        #expect(found.contains { $0.value["problem"]?.string == damage.problem && $0.bundle == "set" }, "\(result)")
        #expect(found.allSatisfy { $0.bundle == "set" })
        let end = try #require(result.events.first { $0.name == "library.verified" })
        #expect(end["damaged"] == 1 && end["contents"] == 2 && end["remaining"] == 0, "\(result)")
        #expect(result.events.last?.name == "run.finished")
    }

    @Test func theLineNamesTheFileAndWhatIsWrong() async throws {
        try await publish()
        try library.flip("\(library.store())/one.txt")
        let result = try await library.verify()
        #expect(result.problems.count == 1, "\(result)")
        #expect(result.errorText.hasPrefix("error: m/set: one.txt: its SHA-256 is "), "\(result)")
        #expect(result.outputText.hasSuffix("1 damaged\n"), "\(result)")
    }

    @Test(arguments: ["gone", "cut", "header"]) func aReceiptThatProvesNothingIsDamage(_ how: String) async throws {
        try await publish()
        let receipt = try library.store() + ".receipt"
        switch how {
        case "gone": try check(unlink(receipt), "unlink")
        case "cut": try check(truncate(receipt, off_t(readFile(receipt).count - 10)), "truncate")
        default: try writeFile(Array("{}\n".utf8), to: receipt)
        }
        let result = try await library.verify("--json")
        #expect(result.status == .exited(1), "\(result)")
        let found = result.events.filter { $0.name == "content.damaged" }
        #expect(found.map { $0.value["problem"]?.string } == ["receipt"], "\(result)")
    }

    @Test func contentThatIsGoneAsAWholeIsDamage() async throws {
        try await publish()
        removeTree(try library.store())
        let result = try await library.verify("--json")
        #expect(result.status == .exited(1), "\(result)")
        let found = try #require(result.events.first { $0.name == "content.damaged" })
        #expect(found.value["problem"]?.string == "missing" && found.value["path"]?.isNull == true, "\(result)")
    }

    @Test(arguments: ["link", "manifest"]) func aGenerationThatLeadsElsewhereIsDamage(_ how: String) async throws {
        try await publish()
        let folder = "\(stock.library)/generations/000001/m"
        switch how {
        case "link":
            try check(unlink("\(folder)/set"), "unlink")
            try check(symlink("/etc", "\(folder)/set"), "symlink")
        default: try check(unlink("\(folder)/.manifest.json"), "unlink")
        }
        let result = try await library.verify()
        #expect(result.status == .exited(1) && result.problems.count == 1, "\(result)")
    }

    /// All bytes are what the receipt says, as if it had been published so.
    @Test func aPresentationThatWouldNotPlayIsTold() async throws {
        stock.serve("/film/0.ts", stream(0))
        stock.serve(
            "/film/index.m3u8",
            Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n0.ts\n#EXT-X-ENDLIST\n".utf8))
        stock.serveFilm("film/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await library.verify().status == .exited(0))
        let store = try library.store("film")
        let text = try stock.filmText()
        let cut = text.replacing("#EXT-X-ENDLIST", with: "#EXT-X-ENDLESS")
        try writeFile(Array(cut.utf8), to: "\(store)/index.m3u8")
        let receipt = String(decoding: try readFile(store + ".receipt"), as: UTF8.self)
            .replacing("\(SHA256.digest(of: text.utf8))", with: "\(SHA256.digest(of: cut.utf8))")
        let lines = receipt.split(separator: "\n").dropLast().map { $0 + "\n" }.joined()
        try writeFile(Array("\(lines){\"sha256\":\"\(SHA256.digest(of: lines.utf8))\"}\n".utf8), to: store + ".receipt")

        let result = try await library.verify("--json")

        #expect(result.status == .exited(1), "\(result)")
        let found = result.events.filter { $0.name == "content.damaged" }
        #expect(found.map { $0.value["problem"]?.string } == ["playback"], "\(result)")
        let repair = try await library.verify("--repair")
        #expect(repair.status == .exited(1) && repair.errorText.contains("would not play"), "\(repair)")
    }

    @Test func onlyWhatIsNamedIsRead() async throws {
        try await publish()
        try library.flip("\(library.store())/one.txt")
        #expect(try await library.verify("pack").status == .exited(0))
        #expect(try await library.verify("m/pack").outputText.hasPrefix("1 content read, 2 files"))
        #expect(try await library.verify("m/set").status == .exited(1))
        #expect(try await library.verify("m").status == .exited(1))
        let unknown = try await library.verify("pakc")
        #expect(unknown.status == .exited(64), "\(unknown)")
        #expect(try await library.verify("../set").status == .exited(64))
    }

    /// A link may lead to a disk of the reader's own choice; what it leads to isn't read.
    @Test func aFIFOInThePlaceOfAFileHoldsNothingUp() async throws {
        try await publish()
        let file = try library.store() + "/one.txt"
        try check(unlink(file), "unlink")
        try check(mkfifo(file, 0o644), "mkfifo")
        #expect(try await library.verify().status == .exited(1))
    }

    @Test func withoutAnIndexItReadsAllTheSameAndMakesNone() async throws {
        try await publish()
        let index = "\(stock.library)/.larder/state.db"
        try check(unlink(index), "unlink")
        #expect(try await library.verify().status == .exited(0))
        try library.flip("\(library.store())/one.txt")
        let result = try await library.verify()
        #expect(result.status == .exited(1) && result.errorText.contains("the next sync doesn't know"), "\(result)")
        #expect(access(index, F_OK) != 0)
    }

    @Test func itRunsBesideARunThatHoldsTheLibrary() async throws {
        try await publish()
        stock.serveManifest([library.files(), stock.file("film", .pattern(lengthBytes: 100_000, seed: 9))], serial: 2)
        stock.server.script("/film.bin", [.altered { $0.stalled(afterBytes: 50_000) }])
        let sync = try stock.startSync()
        try await stock.server.waitUntilSent("/film.bin", bytes: 50_000)
        #expect(try await library.verify().status == .exited(0))
        sync.kill(SIGTERM)
        try await sync.waitForExit()
    }

    @Test func whatIsNoLibraryIsLeftAlone() async throws {
        let result = try await LarderProgram.run(["verify", "--library", stock.directory["nowhere"]])
        #expect(result.status == .exited(66), "\(result)")
        #expect(access(stock.directory["nowhere"], F_OK) != 0)
    }
}
