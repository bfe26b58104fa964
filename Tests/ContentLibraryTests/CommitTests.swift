import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct CommitTests {
    @Test func committedContentIsFoundByItsOrigin() throws {
        let fixture = try Fixture()
        let sample = try Sample()
        let committed = try sample.commit(by: fixture.writer())
        let store = try fixture.open().store
        let found = try #require(try store.find(sample.origin))
        #expect(found.address == committed.address)
        #expect(found.header == committed.header)
        #expect(found.header.contentBytes == 3)
        #expect(try found.receipt().sources == sample.sources)
        #expect(try found.receipt().entries.map(\.path) == ["content.txt"])
        #expect(try store.find(Sample(text: "two").origin) == nil)
        #expect(try store.find(Sample(version: "8").origin) == nil)
        #expect(try store.find(Sample("museum", "guide").origin) == nil)
    }

    /// Where readers are led to it, it is never missing: not even while what has lost its receipt is replaced.
    @Test func publishedContentWithoutItsReceiptIsReplacedInOneStep() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        try Sample().publish(by: writer)
        let address = try Sample().origin.address
        let seen = try #require(try writer.library.store.open(address)).open()
        try check(unlink("\(fixture.path)/store/\(address).receipt"), "unlink")
        try Sample().commit(by: writer)
        #expect(try writer.library.store.find(Sample().origin) != nil)
        #expect(try seen.readFile("content.txt", limitBytes: 10) == Array("one".utf8), "who reads it still has it")
        #expect(try writer.library.quarantine.names().count == 1)
    }

    @Test func anAbbreviatedKeyThatHappensToAgreeIsNotEnough() throws {
        let fixture = try Fixture()
        let origin = try Sample().origin
        try Sample().commit(by: fixture.writer())
        let digest = try #require(SHA256Digest(hex: origin.key.prefix(digits: 16) + String(repeating: "0", count: 48)))
        let other = Receipt.Origin(
            bundle: origin.bundle, version: origin.version, kind: origin.kind, key: digest, created: origin.created)
        #expect(other.address == origin.address)
        #expect(try fixture.open().store.find(other) == nil)
    }

    @Test func committingTheSameAgainKeepsWhatReadersHave() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let first = try Sample().commit(by: writer).open().descriptor.status()
        let second = try Sample().commit(by: writer).open().descriptor.status()
        #expect(first.inode == second.inode)
        #expect(try writer.library.staging.names().isEmpty)
    }

    /// What is on the disk when a commit is cut short after each of its steps.
    @Test(arguments: 0...3)
    func aCommitCutShortIsCarriedToItsEndOnceItsReceiptIsThere(steps: Int) throws {
        let fixture = try Fixture()
        let sample = try Sample()
        try interruptedCommit(of: sample, by: fixture.writer(), after: steps)
        #expect(try (fixture.open().store.find(sample.origin) != nil) == (steps == 3), "nothing is believed before")

        let writer = try fixture.writer()
        #expect(try (writer.library.store.find(sample.origin) != nil) == (steps > 0))
        #expect(try writer.library.staging.names().isEmpty)
        let content = try sample.commit(by: writer)
        #expect(try content.open().readFile("content.txt", limitBytes: 10) == Array("one".utf8))
        #expect(try writer.library.store.find(sample.origin)?.receipt().entries.count == 1)
    }

    /// All of it is left to the next run then.
    @Test func aStopIsHeardWhileACommitIsCarriedToItsEnd() throws {
        let fixture = try Fixture()
        let sample = try Sample()
        try interruptedCommit(of: sample, by: fixture.writer(), after: 1)
        #expect(throws: LibraryError.self) { try fixture.open().beginWriting(isStopped: { true }) }
        #expect(try fixture.open().store.find(sample.origin) == nil)
        #expect(try fixture.writer().library.store.find(sample.origin) != nil)
    }

    private func interruptedCommit(of sample: Sample, by writer: LibraryWriter, after steps: Int) throws {
        try interruptCommit(of: sample, in: try sample.staged(by: writer), by: writer, after: steps)
    }

    private func interruptCommit(
        of sample: Sample, in staging: Staging, by writer: LibraryWriter, after steps: Int
    ) throws {
        let content = try staging.seal()
        let receipt = Receipt(origin: sample.origin, sources: sample.sources, entries: content.entries)
        let name = sample.origin.address.name
        if steps > 0 { try writer.writeReceipt(receipt, of: staging.names) }
        let parent = try writer.openPlace(of: sample.bundle)
        if steps > 1 { try writer.moveContent(of: staging.names, to: name, in: parent) }
        if steps > 2 { try writer.moveReceipt(of: staging.names, to: name, in: parent) }
    }

    enum Untruth: CaseIterable {
        case cutReceipt, otherBytes, otherMode, missingFile, strayFile, strayDirectory
    }

    /// Whether the content has its name already or not.
    @Test(arguments: Untruth.allCases, 1...2)
    func aCommitWhoseReceiptIsNotTrueIsNotFinished(untruth: Untruth, steps: Int) throws {
        let fixture = try Fixture()
        let sample = try Sample()
        try interruptedCommit(of: sample, by: fixture.writer(), after: steps)
        let content = steps == 1 ? ".larder/staging/1" : "store/\(sample.origin.address)"
        let (file, receipt) = (fixture.temporary["library/\(content)/content.txt"], ".larder/staging/1-receipt")
        switch untruth {
        case .cutReceipt:
            let bytes = try fixture.temporary.read("library/\(receipt)")
            try fixture.temporary.write(bytes.dropLast(), to: "library/\(receipt)")
        case .otherBytes: try writeFile(Array("two".utf8), to: file)
        case .otherMode: #expect(chmod(file, 0o755) == 0)
        case .missingFile: #expect(unlink(file) == 0)
        case .strayFile: try fixture.temporary.write([], to: "library/\(content)/stray")
        case .strayDirectory: try fixture.temporary.makeDirectory("library/\(content)/stray/directory")
        }
        let writer = try fixture.writer()
        #expect(try writer.library.store.find(sample.origin) == nil)
        #expect(try writer.library.staging.names().isEmpty)
        #expect(try sample.commit(by: writer).receipt().entries.count == 1)
    }

    @Test func contentThatHasAReceiptAlreadyIsNotReplacedByWhatARunLeft() throws {
        let fixture = try Fixture()
        let sample = try Sample()
        try interruptedCommit(of: sample, by: fixture.writer(), after: 1)
        let left = fixture.temporary["left"]
        #expect(rename(fixture.temporary["library/.larder/staging"], left) == 0)
        let inode = try sample.commit(by: fixture.writer()).open().descriptor.status().inode
        removeTree(fixture.temporary["library/.larder/staging"])
        #expect(rename(left, fixture.temporary["library/.larder/staging"]) == 0)

        let writer = try fixture.writer()
        #expect(try writer.library.store.find(sample.origin)?.open().descriptor.status().inode == inode)
        #expect(try writer.library.staging.names().isEmpty)
    }

    /// What is live can't be had again.
    @Test func untilACommitCanBeFinishedTheNextRunHasAllThatCame() throws {
        let fixture = try Fixture()
        let sample = try Sample()
        do {
            let writer = try fixture.writer()
            let staging = try writer.makeStaging(for: sample.bundle)
            try staging.note("seen", of: "a record")
            try staging.note(sample.sources[0], at: "content.txt")
            try staging.write(sample.text, to: "content.txt")
            try interruptCommit(of: sample, in: staging, by: writer, after: 0)
        }
        let writer = try fixture.writer()
        let salvage = try #require(writer.salvage(of: sample.bundle)?.ofRuns(thatKept: "a record"))
        #expect(salvage.records(named: "a record") == [["seen"]])
        let staging = try writer.makeStaging(for: sample.bundle)
        let isTaken = try salvage.take(
            sample.sources[0].sha256, sizeBytes: sample.sources[0].sizeBytes, to: "content.txt", in: staging)
        #expect(isTaken)
        let content = try writer.commit(try staging.seal(), origin: sample.origin, sources: sample.sources)
        #expect(try content.open().readFile("content.txt", limitBytes: 10) == Array("one".utf8))
        #expect(try writer.library.staging.names().isEmpty)
    }

    @Test func aReceiptWithoutContentIsNoContent() throws {
        let fixture = try Fixture()
        let sample = try Sample()
        try sample.commit(by: fixture.writer())
        let address = sample.origin.address
        try fixture.directory().removeTree(RelativePath("store/\(address)"))

        let writer = try fixture.writer()
        #expect(try writer.library.store.find(sample.origin) == nil)
        #expect(try sample.commit(by: writer).open().names() == ["content.txt"])
    }

    @Test(arguments: ["", "{}", "garbage\n", "[1,2]\n", "{\"receipt\":1}\n"])
    func aDamagedReceiptMeansFetchingAgainNotFailing(text: String) throws {
        let fixture = try Fixture()
        let sample = try Sample()
        try sample.commit(by: fixture.writer())
        try fixture.temporary.write(text.utf8, to: "library/store/\(sample.origin.address).receipt")

        let writer = try fixture.writer()
        #expect(try writer.library.store.find(sample.origin) == nil)
        #expect(try sample.commit(by: writer).receipt().entries.count == 1)
    }

    @Test func aReceiptOfOtherContentIsNotBelieved() throws {
        let fixture = try Fixture()
        let (one, two) = (try Sample(text: "one"), try Sample(text: "two"))
        let writer = try fixture.writer()
        try one.commit(by: writer)
        try two.commit(by: writer)
        let store = "library/store/"
        try fixture.temporary.write(
            fixture.temporary.read("\(store)\(two.origin.address).receipt"), to: "\(store)\(one.origin.address).receipt"
        )
        #expect(try writer.library.store.open(one.origin.address) == nil)
        #expect(try writer.library.store.open(two.origin.address) != nil)
    }

    @Test func aLinkInTheStoreIsNotFollowed() throws {
        let fixture = try Fixture()
        let sample = try Sample()
        try sample.commit(by: fixture.writer())
        let path = try RelativePath("store/\(sample.origin.address)")
        try fixture.directory().rename(path, to: "elsewhere")
        try fixture.directory().makeSymbolicLink(path, target: Array("\(fixture.path)/elsewhere".utf8))
        #expect(try fixture.open().store.find(sample.origin) == nil)
    }
}
