import Glibc
import TestSupport
import Testing

/// A generation that has lost the list of what it was published with, and something of that as well: nothing is left that tells what.
@Suite struct UnlistedGenerationTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }

    init() throws { library = try RestingLibrary() }

    /// Two generations, the first of which had a bundle more; it has lost that, and its list.
    private func publish(losing names: [String] = ["m/copy"]) async throws {
        stock.serveManifest([library.files(), library.files("copy", prefix: "copy/")])
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest([library.files()], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        for name in names + [".contents"] { removeTree("\(stock.library)/generations/000001/\(name)") }
    }

    private func run(_ command: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(command + ["--library", stock.library])
    }

    /// With the manifest's bytes that name it, and without anything that does.
    @Test(arguments: [["m/copy"], ["m/copy", "m/.manifest.json"], ["m"]])
    func goingBackToItTellsWhatItMayHaveHeldAndNoneOfThatIsRemoved(_ losses: [String]) async throws {
        try await publish(losing: losses)
        for _ in 1...2 {
            let back = try await run("rollback", "--to", "1")
            #expect(back.status == .exited(0) && back.errorText.contains("may have held m/copy"), "\(back)")
            #expect(back.errorText.split(separator: "may have held").count == 2, "once: \(back)")
        }
        let orphans = try await run("clean", "--keep", "1", "--keep-age", "0s", "--dry-run")
        #expect(!orphans.outputText.contains("m/copy"), "\(orphans)")
        let clean = try await run("clean", "--keep", "1", "--keep-age", "0s")
        #expect(clean.status == .exited(0), "\(clean)")
        #expect(try readFile("\(library.store("copy"))/one.txt").count == 5000)
        let found = try await library.verify()
        #expect(found.status == .exited(1) && found.errorText.contains("may not be all that was published"), "\(found)")

        // Once it is gone, what it may have held goes as well.
        #expect(try await run("unpin").status == .exited(0))
        #expect(try await stock.sync("--keep", "1", "--keep-age", "0s").status == .exited(0))
        #expect(try await run("clean", "--keep", "1", "--keep-age", "0s").status == .exited(0))
        #expect(throws: (any Error).self) { try library.store("copy") }
        #expect(try await library.verify().status == .exited(0))
    }

    /// A bundle that could never be had is nothing that was lost.
    @Test(arguments: [true, false]) func aRepairMakesItWholeWhereTheStoreHasNothingElse(isRequired: Bool) async throws {
        let missing =
            #"{"id": "gone", "kind": "archive", "urls": ["\#(stock.server.url("/gone.zip"))"], "required": \#(isRequired)}"#
        stock.serveManifest([library.files(), missing])
        #expect(try await stock.sync().status == .exited(isRequired ? 2 : 0))
        removeTree("\(stock.library)/current/.contents")
        #expect(try await stock.sync().status == .exited(isRequired ? 2 : 0))
        let found = try await library.verify()
        #expect(found.status == .exited(1) && found.errorText.contains("may not be all that was published"), "\(found)")
        let repair = try await library.verify("--repair")
        #expect(repair.status == .exited(0), "\(repair)")
        let after = try await library.verify()
        #expect(after.status == .exited(0), "\(after)")
        #expect(try await stock.sync().status == .exited(isRequired ? 2 : 0))
        #expect(try await library.verify().status == .exited(0))
    }

    /// What the store has of it is wanted yet: the way out is told.
    @Test func aRepairTellsWhatBringsBackWhatTheStoreHas() async throws {
        stock.serveManifest([library.files(), library.files("copy", prefix: "copy/")])
        #expect(try await stock.sync().status == .exited(0))
        for name in ["m/copy", ".contents"] { removeTree("\(stock.library)/generations/000001/\(name)") }
        let repair = try await library.verify("--repair")
        #expect(repair.status == .exited(1) && repair.errorText.contains("sync the manifest again"), "\(repair)")
        #expect(repair.errorText.contains("may have held m/copy"), "\(repair)")
        #expect(try readFile("\(library.store("copy"))/one.txt").count == 5000)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.published() == ["copy", "set"])
        #expect(try await run("clean", "--keep", "1", "--keep-age", "0s").status == .exited(0))
        #expect(try await library.verify().status == .exited(0))
    }

    @Test func aRunThatMakesItsListAnewTellsWhatItMayLack() async throws {
        try await publish()
        let sync = try await stock.sync()
        #expect(sync.status == .exited(0) && sync.errorText.contains("may have held m/copy"), "\(sync)")
        let again = try await stock.sync()
        #expect(again.errorText.isEmpty, "once: \(again)")
    }
}
