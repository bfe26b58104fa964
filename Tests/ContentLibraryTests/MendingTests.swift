import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

/// Damaged content that takes its place again.
@Suite struct MendingTests {
    private let fixture: Fixture
    private let writer: LibraryWriter

    init() throws {
        fixture = try Fixture()
        writer = try fixture.writer()
    }

    private func stored(_ files: [String: String], text: String = "one") throws -> StoredContent {
        let staging = try writer.makeStaging()
        for (path, text) in files { try staging.write(text, to: path) }
        return try writer.commit(staging.seal(), origin: Sample(text: text).origin, sources: [])
    }

    private func path(_ content: StoredContent, _ name: String) -> String {
        "\(fixture.path)/store/\(content.address)/\(name)"
    }

    private func mend(_ content: StoredContent) throws -> LibraryWriter.Mending {
        writer.note(damaged: [content.address])
        return try writer.mend(content, isStopped: { false })
    }

    private func quarantine() throws -> [RelativePath] { try writer.library.quarantine.names() }

    @Test func whatIsWholeStaysWhereItIs() throws {
        let content = try stored(["x": "text"])
        let identity = content.identity
        guard case .whole = try mend(content) else { throw Unexpected("it was built anew") }
        #expect(content.identity == identity && !writer.isDamaged(content.address))
        #expect(try quarantine().isEmpty && writer.library.staging.names().isEmpty)
    }

    @Test func whatCanBeHadNowhereStaysAsItIs() throws {
        let content = try stored(["x": "text", "y": "more"])
        try writeFile(Array("TEXT".utf8), to: path(content, "x"))
        let identity = content.identity
        guard case .lacking(files: 1) = try mend(content) else { throw Unexpected("it was mended") }
        #expect(content.identity == identity && writer.isDamaged(content.address))
        #expect(try quarantine().isEmpty && writer.library.staging.names().isEmpty)
    }

    @Test func anotherPlaceOfTheSameContentWillDo() throws {
        let content = try stored(["x": "text", "again/x": "text"])
        try writeFile(Array("TEXT".utf8), to: path(content, "x"))
        guard case .mended(count: 1) = try mend(content) else { throw Unexpected("it wasn't mended") }
        #expect(try readFile(path(content, "x")) == Array("text".utf8))
        #expect(try quarantine().count == 1)
        // What had the same inode as another name would change with it.
        #expect(try content.receipt().entries.count == 2)
    }

    @Test func damagedContentIsNotTakenForWhatIsAskedFor() throws {
        let content = try stored(["x": "text"])
        writer.note(damaged: [content.address])
        #expect(try writer.find(Sample().origin) == nil)
        try writeFile(Array("TEXT".utf8), to: path(content, "x"))
        let held = try content.open()
        let staging = try writer.makeStaging()
        try staging.write("text", to: "x")
        let anew = try writer.commit(staging.seal(), origin: Sample().origin, sources: Sample().sources)
        #expect(anew.address == content.address && !writer.isDamaged(content.address))
        #expect(try readFile(path(content, "x")) == Array("text".utf8))
        #expect(try anew.receipt().sources.count == 1)
        #expect(try held.readFile("x", limitBytes: 10) == Array("TEXT".utf8))
    }

    /// The way out where a file system can't let two directories change places.
    @Test func damagedContentWhoseDirectoryWasRemovedIsPutThereAnew() throws {
        let content = try stored(["x": "text"])
        writer.note(damaged: [content.address])
        removeTree("\(fixture.path)/store/\(content.address)")
        let staging = try writer.makeStaging()
        try staging.write("text", to: "x")
        let anew = try writer.commit(staging.seal(), origin: Sample().origin, sources: Sample().sources)
        #expect(anew.address == content.address && !writer.isDamaged(content.address))
        #expect(try readFile(path(content, "x")) == Array("text".utf8))
        #expect(try quarantine().isEmpty)
    }

    @Test func whatWasReplacedGoesAfterADayUnlessAReaderHoldsAGeneration() throws {
        let generation = try Sample().publish(by: writer)
        let content = try #require(try writer.library.store.newest(of: Sample().bundle))
        try check(chmod(path(content, "content.txt"), 0o600), "chmod")
        guard case .mended = try mend(content) else { throw Unexpected("it wasn't mended") }
        let tomorrow = Timestamp(seconds: Timestamp.now.seconds + 100_000)
        try writer.discardReplacedContent()
        #expect(try quarantine().count == 1)
        let reader = try Directory.open("\(fixture.path)/generations/\(generation.number)")
        #expect(try reader.descriptor.lock(exclusive: false))
        try writer.discardReplacedContent(now: tomorrow)
        #expect(try quarantine().count == 1)
        reader.descriptor.unlock()
        try writer.discardReplacedContent(now: tomorrow)
        #expect(try quarantine().isEmpty)
    }

    @Test func whatWasReplacedIsGivenBackAtOnceWhereThatIsAskedFor() throws {
        let content = try stored(["x": "text", "y": "more"])
        try check(chmod(path(content, "x"), 0o600), "chmod")
        guard case .mended = try mend(content) else { throw Unexpected("it wasn't mended") }
        #expect(try writer.discardReplacedContent(keeping: 0, olderThan: .zero) > 0)
        #expect(try quarantine().isEmpty)
    }

    /// However much is damaged, the receipts of the whole library are read through once.
    @Test func theLibraryIsSearchedOnceForAllThatIsDamaged() throws {
        let damaged = try ["a", "b"].map { try stored([$0: $0], text: $0) }
        let copy = try stored(["a": "a", "b": "b"], text: "copy")
        let receiptless = SHA256.digest(of: "elsewhere".utf8)
        _ = try stored(["c": "elsewhere"], text: "elsewhere")
        writer.note(damaged: Set(damaged.map(\.address)))
        writer.note(wanted: [receiptless])
        #expect(
            try writer.storedFiles(for: [SHA256.digest(of: "a".utf8)]).places(of: SHA256.digest(of: "a".utf8)).count > 0
        )
        removeTree("\(fixture.path)/store/\(copy.address).receipt")
        let again = try writer.storedFiles(for: [SHA256.digest(of: "b".utf8), receiptless])
        #expect(
            again.places(of: SHA256.digest(of: "b".utf8)).contains {
                $0.directory.name.contains("\(copy.address.name)")
            })
        #expect(again.places(of: receiptless).count == 1)
    }

    @Test func whatIsKnownOfContentIsKeptAndForgotten() throws {
        let index = try writer.openStateIndex()
        let content = try stored(["x": "text"])
        let record = VerificationRecord(
            time: Timestamp(seconds: 7), position: try RelativePath([0x61, 0xFF]), damage: "x: it is missing")
        try index.record([content.address: record])
        #expect(try index.verifications() == [content.address: record])
        #expect(try index.damagedContents() == [content.address])
        try index.record([content.address: VerificationRecord(time: Timestamp(seconds: 9))])
        #expect(try index.damagedContents().isEmpty)
        try index.forgetVerifications(of: [content.address])
        #expect(try index.verifications().isEmpty)
    }
}
