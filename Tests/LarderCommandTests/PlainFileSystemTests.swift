import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A library on a file system that knows neither files without names nor renames that replace nothing, such as NFS.
@Suite struct PlainFileSystemTests {
    private let stock: Stock
    private let archive = storedZip(["x.txt": Array("some text".utf8)])
    private let book = Array("a book".utf8)

    init() throws { stock = try Stock() }

    private var folder: String { stock.directory["origin"] }
    private var manifests: [String] { ["\(folder)/m.json", stock.manifestURL] }

    /// Files beside a manifest, and one of a server.
    private func offer() throws {
        try writeFile(archive, to: stock.directory.makeDirectory("origin") + "/pack.zip")
        try writeFile(book, to: "\(folder)/book.pdf")
        let bundles = [
            #"{"id": "pack", "kind": "archive", "urls": ["pack.zip"], "sha256": "\#(SHA256.digest(of: archive))"}"#,
            #"{"id": "book", "kind": "ebook", "urls": ["book.pdf"], "sha256": "\#(SHA256.digest(of: book))"}"#,
            #"{"id": "again", "kind": "files", "files": [{"path": "a/1", "urls": ["book.pdf"]}, {"path": "a/2", "urls": ["book.pdf"]}]}"#,
        ]
        try writeFile(Array(Stock.manifest(bundles, id: "own").utf8), to: "\(folder)/m.json")
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10_000, seed: 1))])
    }

    private func sync(_ event: FileCalls.Event? = nil, at moment: FileCalls.Moment? = nil) async throws
        -> ChildProcess.Result
    {
        let calls = try await FileCalls(beneath: stock.library)
        return try await LarderProgram.run(
            stock.arguments(manifests: manifests), environment: calls.environment(event, at: moment, isPlain: true))
    }

    private func checkAllIsThere() throws {
        #expect(try stock.directory.read("library/current/own/pack/x.txt") == Array("some text".utf8))
        #expect(try stock.directory.read("library/current/own/book/book.pdf") == book)
        for number in 1...2 { #expect(try stock.directory.read("library/current/own/again/a/\(number)") == book) }
        #expect(try stock.difference("a", .pattern(lengthBytes: 10_000, seed: 1)) == nil)
        #expect(try partial().isEmpty && LibraryAudit(path: stock.library).problems() == [])
    }

    private func partial() throws -> [String] {
        try directoryEntries(FilePathBytes("\(stock.library)/.larder/partial")).map(\.description)
    }

    @Test func itIsFilledAsAnyOther() async throws {
        try offer()
        let result = try await sync()
        #expect(result.status == .exited(0), "\(result)")
        try checkAllIsThere()
        #expect(try await sync().status == .exited(0))
    }

    /// What goes by a passing name there is found by the next run.
    @Test func whatAKilledRunLeavesIsTakenAway() async throws {
        try offer()
        #expect(try await sync(.kill, at: .first("write", on: "/partial/.unnamed.")).status == .signalled(SIGKILL))
        #expect(try partial().contains { $0.hasPrefix(".unnamed.") })
        let result = try await sync()
        #expect(result.status == .exited(0), "\(result)")
        try checkAllIsThere()
    }
}
