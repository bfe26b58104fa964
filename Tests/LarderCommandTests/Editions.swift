import FaultServer
import Glibc
import JSONSyntax
import TestSupport

/// A manifest that changes from edition to edition, of all that a library can be given in a small run: several files of which only one changes, an
/// archive, and a book that stays the same.
struct Editions {
    let stock: Stock

    init() throws { stock = try Stock() }

    var library: String { stock.library }

    /// Lets the server have an edition, from 1; its serial is its number.
    /// - Parameter original: an earlier edition that it has the content of; else it has its own.
    func serve(_ edition: Int, as original: Int? = nil) {
        let content = original ?? edition
        let files = Self.files(content).map { path, content in
            let url = "\(path)-\(content.sha256.prefix(8))"
            stock.server.serve("/\(url)", Resource(content))
            return #"{"path": "\#(path)", "urls": ["\#(url)"], "sha256": "\#(content.sha256)"}"#
        }
        stock.server.serve("/book.pdf", Resource(Self.book))
        stock.serveManifest(
            [
                #"{"id": "pair", "kind": "files", "files": [\#(files.joined(separator: ", "))]}"#,
                stock.archive("set", Self.archive(content)),
                #"{"id": "book", "kind": "ebook", "urls": ["book.pdf"], "sha256": "\#(Self.book.sha256)"}"#,
            ], serial: edition, more: "\"x-content\": \(content),")
    }

    /// The edition that readers see; nil before there was any.
    func published() throws -> Int? { try publishedManifest()?.root["serial"]?.integer }

    private func publishedManifest() throws -> JSONDocument? {
        var status = stat()
        // The link itself: one that leads nowhere is no state to be in.
        guard lstat("\(library)/current", &status) == 0 else { return nil }
        let manifest = try readFile("\(library)/current/m/.manifest.json")
        return try JSONDocument(manifest, name: "the published manifest")
    }

    /// What is wrong with what readers see: how it differs from the edition that its manifest is of, and from its receipts.
    func problems() throws -> [String] {
        guard let manifest = try publishedManifest() else { return [] }
        guard let edition = manifest.root["x-content"]?.integer else {
            return ["the published manifest is none of ours"]
        }
        var found = try LibraryAudit(path: library).problems()
        for (path, content) in Self.content(edition) {
            guard let actual = try? stock.content(path) else {
                found.append("\(path) of edition \(edition) is missing")
                continue
            }
            if let difference = contentDifference(content, actual) { found.append("\(path): \(difference)") }
        }
        return found
    }

    /// Changes bytes of what readers see, in the store itself.
    func damage() throws {
        for path in ["pair/new", "set/one.bin"] {
            var bytes = try stock.content(path)
            bytes[bytes.count / 2] ^= 1
            try writeFile(bytes, to: "\(library)/current/m/\(path)")
        }
    }

    /// Leaves in the library, of every kind, what runs that are cut short leave: for `larder clean` to find.
    func leaveBehind() throws {
        let bytes = [UInt8](repeating: 7, count: 5_000)
        let record = """
            {"format": "larder-resume/1", "url": "http://a.example/x", "finalURL": "http://a.example/x", "entityTag": "\\"1\\"",
             "ranges": [[0, 5000]], "flushedBytes": 0, "boot": ""}
            """
        for (path, content) in [
            (".larder/partial/stray.part", bytes), (".larder/partial/stray.part.resume", Array(record.utf8)),
            (".larder/staging/7/deep/data", bytes), (".larder/staging/7-receipt", Array("half of a rec".utf8)),
            ("store/m/pair/old@0123456789abcdef/data", bytes), ("store/m/pair/old@0123456789abcdef.receipt", bytes),
            ("store/gone/bundle/1@0123456789abcdef/data", bytes), ("generations/.000009.new/m/.manifest.json", bytes),
        ] { try stock.directory.write(content, to: "library/\(path)") }
    }

    // MARK: What there is

    private static let book = Content.pattern(lengthBytes: 6_000, seed: 1)

    private static func files(_ edition: Int) -> [(path: String, content: Content)] {
        [
            ("same", .pattern(lengthBytes: 3_000, seed: 2)),
            ("new", .pattern(lengthBytes: 2_000, seed: UInt64(1000 + edition))),
        ]
    }

    private static func entries(_ edition: Int) -> [(path: String, content: [UInt8])] {
        [
            ("one.bin", deterministicBytes(1_500, seed: UInt64(2000 + edition))),
            ("deep/two.bin", deterministicBytes(700, seed: 3)),
        ]
    }

    private static func archive(_ edition: Int) -> [UInt8] {
        let entries = entries(edition)
        return storedZip([entries[0].path: entries[0].content, entries[1].path: entries[1].content])
    }

    /// What readers find of an edition, by path.
    private static func content(_ edition: Int) -> [(path: String, content: [UInt8])] {
        files(edition).map { ("pair/\($0)", $1.bytes()) } + entries(edition).map { ("set/\($0)", $1) }
            + [("book/book.pdf", book.bytes())]
    }
}
