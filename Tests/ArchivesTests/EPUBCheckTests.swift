import Archives
import Testing

@Suite("Books")
struct EPUBCheckTests {
    private static func faults(ofContainer xml: String) throws -> [EPUBFault] {
        let book = ZipBuilder([
            .init("mimetype", Array("application/epub+zip".utf8)), .init("META-INF/container.xml", Array(xml.utf8)),
            .init("a&b.opf", [1]),
        ])
        return try EPUBCheck(MemorySource(book.build()), isStopped: { false }).faults()
    }

    @Test("References of XML in a path are resolved", arguments: ["a&amp;b.opf", "&#97;&#x000026;b.opf", "a&b.opf"])
    func references(_ path: String) throws {
        #expect(try Self.faults(ofContainer: "<rootfile full-path='\(path)'/>").isEmpty)
    }

    @Test("The end of a reference is looked for where it can be", .timeLimit(.minutes(1)))
    func manyBeginnings() throws {
        let xml = "<rootfile full-path='\(String(repeating: "&", count: 60_000))'/>"
        for _ in 0..<10 { #expect(try Self.faults(ofContainer: xml).map(\.kind) == [.rootfile]) }
    }
}
