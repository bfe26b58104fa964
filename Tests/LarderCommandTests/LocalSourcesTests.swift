import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A manifest that was read from a path, whose relative URLs are files beside it: whoever fetches for what is published finds them as the sync did.
@Suite struct LocalSourcesTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }
    private let archive = storedZip(["x.txt": Array("some text".utf8)])

    init() throws { library = try RestingLibrary() }

    private var folder: String { stock.directory["origin"] }

    private func publish() async throws {
        try check(mkdir(folder, 0o755), "mkdir")
        try check(mkdir("\(folder)/sub", 0o755), "mkdir")
        let book = Array("a book".utf8)
        try writeFile(archive, to: "\(folder)/sub/pack.zip")
        try writeFile(book, to: "\(folder)/book.pdf")
        let bundles = [
            #"{"id": "pack", "kind": "archive", "urls": ["sub/pack.zip"], "sha256": "\#(SHA256.digest(of: archive))"}"#,
            #"{"id": "book", "kind": "ebook", "urls": ["book.pdf"], "sha256": "\#(SHA256.digest(of: book))"}"#,
        ]
        try writeFile(Array(Stock.manifest(bundles).utf8), to: "\(folder)/m.json")
        let result = try await stock.sync(manifests: ["\(folder)/m.json"])
        #expect(result.status == .exited(0), "\(result)")
    }

    @Test func whatIsDamagedIsMendedFromThem() async throws {
        try await publish()
        let kept = try await library.keep()
        try library.flip("\(library.store("pack"))/x.txt")
        try library.flip("\(library.store("book"))/book.pdf")
        let result = try await library.verify("--repair")
        #expect(result.status == .exited(0), "\(result)")
        #expect(try library.differences(from: kept) == [])
    }

    @Test func whatIsNotKeptAsItWasIsExportedFromThem() async throws {
        try await publish()
        let stick = stock.directory["stick"]
        let result = try await LarderProgram.run(["export", "--library", stock.library, "--to", stick])
        #expect(result.status == .exited(0) && result.outputText.hasPrefix("2 bundles carried"), "\(result)")
        let name = "\(SHA256.digest(of: archive))"
        #expect(try readFile("\(stick)/sha256/\(name.prefix(2))/\(name)") == archive)
    }
}
