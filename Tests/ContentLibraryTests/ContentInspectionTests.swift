import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

/// Holding content against its receipt, part by part.
@Suite struct ContentInspectionTests {
    private let fixture: Fixture
    private let writer: LibraryWriter

    init() throws {
        fixture = try Fixture()
        writer = try fixture.writer()
    }

    /// Names whose order in a directory isn't that of their paths.
    private static let paths = ["a", "a-b", "a.b", "b/x", "b.x", "b/y/z", "b-", "c"]

    private func stored(_ paths: [String] = paths, empty: [String] = ["b/e", "e", "e.d"]) throws -> StoredContent {
        let staging = try writer.makeStaging()
        for path in paths { try staging.write(path, to: path) }
        for path in empty { try staging.directory.makeDirectories(RelativePath(path)) }
        try staging.directory.makeSymbolicLink("link", target: Array("a".utf8))
        return try writer.commit(staging.seal(), origin: Sample().origin, sources: [])
    }

    private func path(_ content: StoredContent, _ name: String) -> String {
        "\(fixture.path)/store/\(content.address)/\(name)"
    }

    private func damage(of content: StoredContent, after position: RelativePath? = nil) throws -> Set<ContentDamage> {
        let inspection = try ContentInspection(content, after: position)
        var portion = ContentInspection.Portion()
        (portion.count, portion.least) = (2, 1)
        var found: Set<ContentDamage> = []
        while true {
            let part = try inspection.next(portion)
            found.formUnion(part.damage)
            #expect(part.files.count <= 2)
            if part.end == nil { return found }
        }
    }

    @Test func whatIsWholeHasNoDamageInWhateverPartsItIsRead() throws {
        let content = try stored()
        #expect(try damage(of: content).isEmpty)
        for path in Self.paths { #expect(try damage(of: content, after: RelativePath(path)).isEmpty, "\(path)") }
    }

    @Test func whatIsMissingAndWhatIsForeignIsFoundWhereverItStands() throws {
        for path in Self.paths {
            let content = try stored()
            try check(unlink(self.path(content, path)), "unlink")
            #expect(try damage(of: content).contains(ContentDamage(RelativePath(path), .missing)), "\(path)")
            removeTree("\(fixture.path)/store/museum")
        }
        for path in ["0", "a-", "b/x.y", "b.", "d", "zz", "b/y/zz"] {
            let content = try stored()
            try writeFile([], to: self.path(content, path))
            #expect(try damage(of: content) == [ContentDamage(RelativePath(path), .foreign)], "\(path)")
            removeTree("\(fixture.path)/store/museum")
        }
    }

    @Test func directoriesThatAreEmptyCount() throws {
        let content = try stored()
        try check(rmdir(path(content, "e")), "rmdir")
        try check(mkdir(path(content, "b/f"), 0o755), "mkdir")
        #expect(
            try damage(of: content) == [
                ContentDamage(RelativePath("e"), .missing), ContentDamage(RelativePath("b/f"), .foreign),
            ])
    }

    @Test func whatLiesBehindThePositionIsAllThatIsRead() throws {
        let content = try stored()
        for name in ["a", "c"] { try check(unlink(path(content, name)), "unlink") }
        #expect(try damage(of: content, after: "b.x") == [ContentDamage(RelativePath("c"), .missing)])
    }

    @Test func aLinkThatLeadsElsewhereIsDamage() throws {
        let content = try stored()
        try check(unlink(path(content, "link")), "unlink")
        try check(symlink("/etc", path(content, "link")), "symlink")
        #expect(try damage(of: content) == [ContentDamage(RelativePath("link"), .wrongTarget(Array("/etc".utf8)))])
    }

    @Test func aReceiptThatWasCutProvesNothing() throws {
        let content = try stored()
        let receipt = "\(fixture.path)/store/\(content.address).receipt"
        try check(truncate(receipt, off_t(readFile(receipt).count - 1)), "truncate")
        #expect(throws: LibraryError.self) { try ContentInspection(content) }
    }
}
