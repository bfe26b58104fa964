import FaultServer
import Platform
import TestSupport
import Testing

/// Books that are kept whole: a broken one is not published.
@Suite struct BookTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func serve(_ book: [UInt8], hasDigest: Bool = true) {
        stock.server.serve("/b.epub", Resource(.bytes(book)))
        let digest = hasDigest ? #", "sha256": "\#(SHA256.digest(of: book))""# : ""
        stock.serveManifest([#"{"id": "b", "kind": "ebook", "urls": ["b.epub"]\#(digest)}"#])
    }

    @Test func aSoundBookIsPublished() async throws {
        let book = storedBook()
        serve(book)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.content("b/b.epub") == book)
    }

    private static let type = Array("application/epub+zip".utf8)
    private static let package = Array("<package/>".utf8)

    private static func container(_ paths: String...) -> [UInt8] {
        let rootfiles = paths.map { "<rootfile full-path=\"\($0)\"/>" }.joined()
        return Array("<container><rootfiles>\(rootfiles)</rootfiles></container>".utf8)
    }

    private static func book(_ container: [UInt8], _ name: String = "a b&c.opf") -> [UInt8] {
        storedZip(["mimetype": type, "META-INF/container.xml": container, name: package])
    }

    /// What readers pass over is no reason to go without the book.
    @Test func anOddBookIsPublished() async throws {
        let container = Self.container("book.opf")
        let utf16 = "\u{FEFF}\(String(decoding: container, as: UTF8.self))".utf16
        for (what, book) in [
            (
                "another first entry",
                storedZip(["META-INF/container.xml": container, "book.opf": Self.package, "mimetype": Self.type])
            ),
            (
                "an extra field",
                storedZip(
                    ["mimetype": Self.type, "META-INF/container.xml": container, "book.opf": Self.package],
                    extraField: [0x55, 0x54, 0, 0])
            ),
            (
                "a longer type",
                storedZip([
                    "mimetype": Self.type + [0x0A], "META-INF/container.xml": container, "book.opf": Self.package,
                ])
            ),
            ("references", Self.book(Self.container("a&#32;b&#x26;c.opf"))),
            ("entities", Self.book(Self.container("a b&amp;c.opf"))),
            ("percent signs, encoded", Self.book(Self.container("a%20b%26c.opf"))),
            ("percent signs, as they are", Self.book(Self.container("a%20b.opf"), "a%20b.opf")),
            ("one of two package documents", Self.book(Self.container("b.opf", "a b&amp;c.opf"))),
            ("UTF-16", Self.book(utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, "book.opf")),
            (
                "UTF-16, the other way round",
                Self.book(utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, "book.opf")
            ),
            (
                "a name that is no path",
                storedZip([
                    "mimetype": Self.type, "META-INF/container.xml": container, "book.opf": Self.package, "../a": [1],
                ])
            ),
        ] {
            serve(book)
            let run = try await stock.sync()
            #expect(run.status == .exited(0), "\(what): \(run)")
            #expect(try stock.content("b/b.epub") == book, "\(what)")
        }
    }

    @Test func limitsAreForWhatIsUnpacked() async throws {
        let book = storedBook()
        stock.server.serve("/b.epub", Resource(.bytes(book)))
        stock.serveManifest([
            #"{"id": "b", "kind": "ebook", "urls": ["b.epub"], "unpack": {"format": "none", "limits": {"entries": 1}}}"#
        ])
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.content("b/b.epub") == book)
    }

    /// Whatever a digest says of it.
    @Test(arguments: [true, false]) func aBrokenBookIsNot(hasDigest: Bool) async throws {
        var damaged = storedBook()
        // Within the content of the package document.
        let place = try #require(damaged.firstRange(of: Array("<package/>".utf8)))
        damaged[place.lowerBound + 1] ^= 1
        for (book, reason) in [
            (damaged, "CRC-32"), (storedBook(isWhole: false), "names 'book.opf', which isn't in it"),
            (storedZip(["mimetype": Self.type]), "no META-INF/container.xml"),
            (Self.book(Self.container("b.opf", "c.opf")), "names 'b.opf', which isn't in it"),
            (Array("no archive at all".utf8), "end of central directory"),
        ] {
            serve(book, hasDigest: hasDigest)
            let run = try await stock.sync()
            #expect(run.status == .exited(1), "\(run)")
            #expect(run.errorText.contains(reason), "\(run)")
            #expect(try stock.published() == [])
        }
    }
}
