import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct StagingTests {
    private func files(_ content: SealedContent) -> [String: Receipt.File] {
        content.entries.reduce(into: [:]) { files, entry in
            if case .file(let file) = entry.content { files[entry.path.description] = file }
        }
    }

    @Test func sealingTakesStockOfEverything() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let staging = try writer.makeStaging()
        try staging.write("one", to: "b/one")
        try staging.write("two", to: "a", mode: 0o700)
        try staging.directory.makeDirectory("empty")
        try staging.directory.makeSymbolicLink("b/link", target: Array("../a".utf8))
        let odd = try RelativePath([0xff, 0xfe])
        try staging.directory.makeSymbolicLink(odd, target: Array("a".utf8))
        let time = Timestamp(seconds: 1_000_000_000, nanoseconds: 7)
        try staging.directory.open("b/one", flags: O_RDONLY).setModificationTime(time)

        let content = try staging.seal()
        #expect(content.entries.map(\.path) == ["a", "b/link", "b/one", "empty", odd])
        #expect(content.entries[1].content == .symbolicLink(target: Array("../a".utf8)))
        #expect(content.entries[3].content == .emptyDirectory)
        let one = try #require(files(content)["b/one"])
        #expect(one.sizeBytes == 3 && one.mode == 0o644 && one.modified == time)
        #expect(one.sha256 == SHA256.digest(of: "one".utf8))
        #expect(files(content)["a"]?.mode == 0o755)
    }

    @Test func aDigestThatIsKnownIsNotTakenAgain() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let staging = try writer.makeStaging()
        try staging.write("one", to: "one")
        let known = SHA256.digest(of: "known".utf8)
        #expect(try files(staging.seal(digests: ["one": known]))["one"]?.sha256 == known)
    }

    /// Its other name is somebody else's, whose mode and time it has.
    @Test func aFileThatIsToBeChangedIsTakenWithoutOtherNamesOnly() throws {
        let fixture = try Fixture()
        let bundle = try Sample().bundle
        let source = Receipt.Source(url: "x", sizeBytes: 3, sha256: SHA256.digest(of: "one".utf8))
        do {
            let staging = try fixture.writer().makeStaging(for: bundle)
            try staging.write("one", to: "one")
            try staging.note(source, at: "one")
            try staging.directory.link("one", to: "other")
        }
        let writer = try fixture.writer()
        let next = try writer.makeStaging(for: bundle)
        func isTaken(_ isToBeChanged: Bool) throws -> Bool {
            let salvage = try #require(writer.salvage(of: bundle))
            return try salvage.take(
                source.sha256, sizeBytes: 3, to: "one", in: next, isToBeChanged: isToBeChanged)
        }
        #expect(try !isTaken(true))
        #expect(try isTaken(false))
    }

    @Test func afterAStopNothingIsTaken() throws {
        let fixture = try Fixture()
        let bundle = try Sample().bundle
        let source = Receipt.Source(url: "x", sizeBytes: 3, sha256: SHA256.digest(of: "one".utf8))
        do {
            let staging = try fixture.writer().makeStaging(for: bundle)
            try staging.write("one", to: "one")
            try staging.note(source, at: "one")
        }
        let writer = try fixture.writer()
        let next = try writer.makeStaging(for: bundle)
        for isStopped in [true, false] {
            let salvage = try #require(writer.salvage(of: bundle))
            #expect(salvage.mayHold(source))
            let isTaken = try salvage.take(
                source.sha256, sizeBytes: 3, to: "one", in: next, isStopped: { isStopped })
            #expect(isTaken != isStopped)
        }
        let left = try #require(writer.salvage(of: bundle))
        #expect(!left.mayHold(source), "it has been taken")
    }

    /// A commit may fail when the content is in its place already. What earlier runs had brought of it is the store's by then.
    @Test func whatIsDiscardedTakesNothingOutOfTheStore() throws {
        let fixture = try Fixture()
        let sample = try Sample()
        let source = sample.sources[0]
        do {
            let staging = try fixture.writer().makeStaging(for: sample.bundle)
            try staging.write(sample.text, to: "one")
            try staging.note(source, at: "one")
        }
        let writer = try fixture.writer()
        let next = try writer.makeStaging(for: sample.bundle)
        let salvage = try #require(writer.salvage(of: sample.bundle))
        #expect(try salvage.take(source.sha256, sizeBytes: source.sizeBytes, to: "one", in: next))
        _ = try next.seal()
        let (address, parent) = (sample.origin.address, try writer.openPlace(of: sample.bundle))
        try writer.place(next.names, at: address, in: parent, replaces: false)
        try next.discard()
        #expect(try parent.subdirectory(address.name.path).names() == ["one"])
    }

    @Test func whatIsNoFileIsNotPublished() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let staging = try writer.makeStaging()
        #expect(mkfifo(fixture.temporary["library/.larder/staging/1/pipe"], 0o600) == 0)
        let error = #expect(throws: LibraryError.self) { try staging.seal() }
        #expect(error?.message.contains("1/pipe") == true)
    }

    @Test func specialModeBitsAreDropped() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let staging = try writer.makeStaging()
        try staging.write("x", to: "x", mode: 0o4711)
        #expect(try files(staging.seal())["x"]?.mode == 0o755)
    }

    @Test func discardedStagingLeavesNothing() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let staging = try writer.makeStaging()
        try staging.write("x", to: "a/b/c")
        try staging.discard()
        #expect(try directoryEntries(FilePathBytes(fixture.temporary["library/.larder/staging"])).isEmpty)
    }

    @Test func leftoversOfAKilledRunGoWithTheNext() throws {
        let fixture = try Fixture()
        try fixture.writer().makeStaging().write("x", to: "a/b/c")
        let writer = try fixture.writer()
        #expect(try directoryEntries(FilePathBytes(fixture.temporary["library/.larder/staging"])).isEmpty)
        let staging = try writer.makeStaging()
        guard case .busy = try fixture.open().beginWriting() else { throw Unexpected("two writers") }
        // One that didn't get the lock removes nothing.
        #expect(try staging.directory.names().isEmpty)
        #expect(try directoryEntries(FilePathBytes(fixture.temporary["library/.larder/staging"])).count == 1)
    }
}
