import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A new generation is made of what came, and of what is kept: that is looked at as well, as far as names and sizes tell.
@Suite struct KeptContentTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }
    private let other = Content.pattern(lengthBytes: 900, seed: 3)

    init() throws { library = try RestingLibrary() }

    @Test(arguments: [Damage.truncated, .grown, .missing, .foreign, .foreignDirectory, .directoryMissing])
    func whatIsKeptAndIsNotWhatItWasIsMendedBeforeItIsPublishedAgain(_ damage: Damage) async throws {
        stock.serveManifest([library.files()])
        #expect(try await stock.sync().status == .exited(0))
        let kept = try await library.keep()
        let requests = library.requests()
        try damage.strike(library, library.store())

        stock.serveManifest([library.files(), stock.file("b", other)], serial: 2)
        let plan = try await stock.sync("--dry-run")
        #expect(plan.outputText.contains("mend"), "\(plan)")
        let result = try await stock.sync()

        #expect(result.status == .exited(0) && result.outputText.contains("1 mended"), "\(result)")
        #expect(try library.differences(from: kept).filter { !$0.hasPrefix("m/b") } == [])
        let expected = requests.map { path, count in (path, count + (damage.lost.contains(path) ? 1 : 0)) }
        #expect(library.requests() == Dictionary(uniqueKeysWithValues: expected), "\(result)")
        #expect(try await library.verify().status == .exited(0))
    }

    /// What can't be had anew is known to be damaged from then on.
    @Test func whatCanNotBeMendedIsToldAndRemembered() async throws {
        stock.serveManifest([library.files()])
        #expect(try await stock.sync().status == .exited(0))
        try Damage.truncated.strike(library, library.store())
        stock.serveManifest([library.files(), stock.file("b", other)], serial: 2)
        stock.server.serve("/dir/two.bin", always: .errorPage(404))
        let result = try await stock.sync()
        #expect(result.status == .exited(2), "\(result)")
        let status = try await LarderProgram.run(["status", "--library", stock.library])
        #expect(status.outputText.contains("damaged"), "\(status)")
    }

    /// A file that comes is what is stored already, as far as its digest tells.
    @Test func whatIsFetchedAndStoredAlreadyReplacesWhatIsDamaged() async throws {
        let archive = storedZip(["0": Array(repeating: 7, count: 500), "1": [1, 2, 3]])
        stock.serveManifest([stock.archive("z", archive, hasDigest: false)])
        #expect(try await stock.sync().status == .exited(0))
        let file = "\(try library.store("z"))/0"
        let bytes = try readFile(file)
        try check(truncate(file, 10), "truncate")
        // Its validator is another one, and its bytes are the same.
        stock.server.serve("/z.zip", Resource(.bytes(archive), etag: "\"other\"", lastModified: nil))
        let result = try await stock.sync()
        #expect(result.status == .exited(0), "\(result)")
        #expect(try readFile(file) == bytes)
    }
}
