import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct CollectionTests {
    private static let tomorrow = Timestamp(seconds: Timestamp.now.seconds + 86_500)

    /// Four generations, each with content of its own.
    private func filled() throws -> (Fixture, LibraryWriter) {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        for text in ["1", "2", "3", "4"] {
            try Sample(text: text, version: text).publish(by: writer, manifestText: text)
        }
        return (fixture, writer)
    }

    private func contents(_ fixture: Fixture) throws -> [String] {
        try directoryEntries(FilePathBytes(fixture.temporary["library/store/museum/gallery"])).map(\.description)
    }

    @Test func theLastTwoGenerationsStayWithWhatTheyName() throws {
        let (fixture, writer) = try filled()
        let collected = try writer.collect(now: Self.tomorrow)
        #expect(collected.generations.map(\.value) == [1, 2])
        #expect(
            try collected.contents
                == [Sample(text: "1", version: "1"), Sample(text: "2", version: "2")]
                .map(\.origin.address))
        #expect(collected.freedBytes >= 2 * 4096)
        #expect(try writer.library.generations.numbers().map(\.value) == [3, 4])
        let (three, four) = (try Sample(text: "3", version: "3"), try Sample(text: "4", version: "4"))
        #expect(
            try contents(fixture)
                == [three, four].flatMap { ["\($0.origin.address.name)", "\($0.origin.address.name).receipt"] })
        #expect(try fixture.temporary.read("library/current/museum/gallery/content.txt") == Array("4".utf8))
        #expect(try writer.collect(now: Self.tomorrow) == Collected())
    }

    @Test func youngGenerationsStay() throws {
        let (fixture, writer) = try filled()
        defer { withExtendedLifetime(fixture) {} }
        #expect(try writer.collect() == Collected())
        #expect(try writer.collect(keep: 1, keepAge: .seconds(0), now: Self.tomorrow).generations.count == 3)
    }

    @Test func aClockThatWasAheadKeepsRatherThanRemoves() throws {
        let (fixture, writer) = try filled()
        defer { withExtendedLifetime(fixture) {} }
        #expect(try writer.collect(now: Timestamp(seconds: 0)) == Collected())
    }

    @Test func aGenerationThatAReaderHoldsStays() throws {
        let (fixture, writer) = try filled()
        let reader = try fixture.open().generations.open(#require(GenerationNumber(1)))
        #expect(try reader.directory.descriptor.lock(exclusive: false))
        let collected = try writer.collect(now: Self.tomorrow)
        #expect(collected.generations.map(\.value) == [2])
        #expect(try fixture.temporary.read("library/generations/000001/museum/gallery/content.txt") == Array("1".utf8))
    }

    /// Whoever looks whether somebody holds a generation has it for himself for a moment.
    @Test func aReaderThatComesAtThatMomentWaits() throws {
        let (fixture, writer) = try filled()
        defer { withExtendedLifetime(fixture) {} }
        let other = try writer.library.generations.open(#require(GenerationNumber(4))).directory
        #expect(try other.descriptor.lock(exclusive: true))
        var pauses = 0
        let held = try writer.library.generations.holdCurrent {
            pauses += 1
            other.descriptor.unlock()
        }
        #expect(held?.number.value == 4)
        #expect(pauses == 1)
    }

    /// What a look finds may be gone before it is looked at.
    @Test func aLookBesideACollectionIsNoFailure() async throws {
        let (fixture, writer) = try filled()
        let isOver = Locked(false)
        let store = fixture.temporary["library/store"]
        let collecting = Task.detached {
            while !isOver.withLock({ $0 }) {
                for name in 0..<20 { mkdir("\(store)/museum/b\(name)", 0o755) }
                for name in 0..<20 { rmdir("\(store)/museum/b\(name)") }
            }
        }
        for _ in 0..<300 { #expect(throws: Never.self) { try writer.library.vouchedContents() } }
        isOver.withLock { $0 = true }
        await collecting.value
    }

    @Test func theCurrentGenerationStaysHoweverOldItIs() throws {
        let (fixture, writer) = try filled()
        defer { withExtendedLifetime(fixture) {} }
        try writer.makeCurrent(#require(GenerationNumber(1)))
        let collected = try writer.collect(keep: 1, now: Self.tomorrow)
        #expect(collected.generations.map(\.value) == [2, 3])
        #expect(try writer.library.generations.numbers().map(\.value) == [1, 4])
        #expect(try Sample(text: "5").publish(by: writer).number.value == 5)
    }

    @Test func whatIsCommittedButNotPublishedStaysUntilTheRunIsOver() throws {
        let fixture = try Fixture()
        var writer: LibraryWriter? = try fixture.writer()
        try Sample(text: "1").publish(by: #require(writer))
        let pending = try Sample("school", "books", text: "pending")
        try pending.commit(by: #require(writer))
        #expect(try #require(writer).collect(now: Self.tomorrow) == Collected())
        #expect(try fixture.open().store.find(pending.origin) != nil)

        writer = nil
        #expect(try fixture.writer().collect(now: Self.tomorrow).contents == [pending.origin.address])
        #expect(try fixture.directory().status(of: "store/school") == nil)
    }

    /// A run that was killed may have been about to publish it; the next one needn't fetch it again.
    @Test func whatAKilledRunCommittedOutlivesCollectionsOfOthersForADay() throws {
        let fixture = try Fixture()
        let pending = try Sample("school", "books", text: "pending")
        try pending.commit(by: fixture.writer())
        let writer = try fixture.writer()
        try Sample(text: "1", version: "1").publish(by: writer, manifestText: "1")
        try Sample(text: "2", version: "2").publish(by: writer, manifestText: "2")
        let now = Timestamp.now
        let first = try writer.library.generations.open(#require(GenerationNumber(1)))
        try first.directory.descriptor.setModificationTime(Timestamp(seconds: now.seconds - 100_000))
        let collected = try writer.collect(keep: 1, now: now)
        #expect(try collected.contents == [Sample(text: "1", version: "1").origin.address], "a generation named it")
        #expect(try writer.library.store.find(pending.origin) != nil)
        #expect(try writer.collect(now: Self.tomorrow).contents == [pending.origin.address])
    }

    @Test func halvesOfContentAreCleared() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        try Sample().publish(by: writer)
        let store = "library/store/museum/gallery"
        try fixture.temporary.write("x".utf8, to: "\(store)/8@0123456789abcdef/half")
        try fixture.temporary.write("x".utf8, to: "\(store)/9@0123456789abcdef.receipt")
        try fixture.temporary.write("x".utf8, to: "\(store)/notes of the operator")
        #expect(
            try writer.collect(now: Self.tomorrow).contents.map(\.name.description)
                == ["8@0123456789abcdef", "9@0123456789abcdef"])
        #expect(try contents(fixture).count == 3)
        #expect(try fixture.temporary.read("\(store)/notes of the operator") == Array("x".utf8))
    }

    @Test func whatSomebodyElsePutIntoTheStoreStaysAndIsInNobodysWay() throws {
        let (fixture, writer) = try filled()
        for stray in ["library/store/notes", "library/store/museum/notes"] {
            try fixture.temporary.write("x".utf8, to: stray)
        }
        #expect(try writer.collect(now: Self.tomorrow).contents.count == 2)
        #expect(try fixture.temporary.read("library/store/notes") == Array("x".utf8))
        #expect(try fixture.temporary.read("library/store/museum/notes") == Array("x".utf8))
    }

    @Test func bytesThatAnotherVersionSharesAreNotCountedAsFreed() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let big = String(repeating: "x", count: 1 << 20)
        let old = try Sample(text: big, version: "1").publish(by: writer)
        let address = try #require(old.addresses.first)
        let content = try #require(try writer.library.store.open(address))
        let staging = try writer.makeStaging()
        #expect(
            try ContentSharing(content).place(
                SHA256.digest(of: big.utf8), sizeBytes: 1 << 20, at: "content.txt", in: staging))
        let sample = try Sample(text: "2", version: "2")
        var draft = GenerationDraft(base: old)
        draft.setManifest(
            sample.bundle.manifest, bytes: [],
            contents: [try writer.commit(staging.seal(), origin: sample.origin, sources: [])])
        _ = try writer.publish(draft)
        let collected = try writer.collect(keep: 1, now: Self.tomorrow)
        #expect(collected.contents.count == 1)
        #expect((1..<(1 << 20)).contains(collected.freedBytes))
    }

    @Test func nothingIsRemovedWhenAKeptGenerationCanNotBeRead() throws {
        let (fixture, writer) = try filled()
        // Nothing else tells then what it has.
        try fixture.directory().remove("generations/000003/.contents")
        let link: RelativePath = "generations/000003/museum/gallery"
        try fixture.directory().remove(link)
        try fixture.directory().makeSymbolicLink(link, target: Array("elsewhere".utf8))
        let before = try fixture.tree()
        #expect(throws: LibraryError.self) { try writer.collect(now: Self.tomorrow) }
        #expect(try fixture.tree() == before)
    }

    @Test func aRemovalThatWasCutShortIsFinishedByTheNextRun() throws {
        let fixture = try Fixture()
        try Sample().publish(by: fixture.writer())
        // No generation ever was called so: these are somebody's.
        let strays = [".0.new", ".new", ".removed"]
        for name in strays + [".000007.removed/museum", ".000008.new"] {
            _ = try fixture.temporary.makeDirectory("library/generations/\(name)")
        }
        _ = try fixture.writer()
        let left = try directoryEntries(FilePathBytes(fixture.temporary["library/generations"])).map(\.description)
        #expect(Set(left) == Set(strays + ["000001"]))
    }
}
