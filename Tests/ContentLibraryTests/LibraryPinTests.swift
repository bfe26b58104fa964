import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

/// Going back, and staying there.
@Suite struct LibraryPinTests {
    private let fixture: Fixture
    private let museum: ContentID

    init() throws {
        fixture = try Fixture()
        museum = try #require(ContentID("museum"))
    }

    /// Generations 1 to `count`, each with a serial and content of its own.
    private func filled(_ count: Int = 3) throws -> LibraryWriter {
        let writer = try fixture.writer()
        for number in 1...count {
            try Sample(text: "\(number)", version: "\(number)")
                .publish(by: writer, manifestText: #"{"serial": \#(number * 10)}"#)
        }
        return writer
    }

    private func number(_ value: Int) throws -> GenerationNumber { try #require(GenerationNumber(value)) }

    private func seen() throws -> String {
        String(decoding: try fixture.temporary.read("library/current/museum/gallery/content.txt"), as: UTF8.self)
    }

    @Test func goingBackShowsTheGenerationBeforeAndHoldsWhatWasPublishedSince() throws {
        let writer = try filled()
        #expect(try writer.rollBack(to: nil) { _ in nil }.generation.value == 2)
        #expect(try seen() == "2")
        let pin = try #require(try writer.library.pin())
        #expect(pin.generation.value == 2 && pin.hold == .serials([museum: 30]))
        #expect(pin.holds(museum, serial: 30) && !pin.holds(museum, serial: 31))
        #expect(try !pin.holds(#require(ContentID("other")), serial: 1), "it has never been published")
        #expect(try writer.rollBack(to: nil) { _ in nil }.generation.value == 1, "further back")
        #expect(try writer.library.pin()?.hold == .serials([museum: 30]))
    }

    @Test func aSerialThatOnlyTheIndexKnowsIsHeldToo() throws {
        let writer = try filled()
        _ = try writer.rollBack(to: number(1)) { _ in 99 }
        #expect(try writer.library.pin()?.hold == .serials([museum: 99]))
    }

    @Test func thePinIsThereBeforeCurrentMoves() throws {
        let writer = try filled()
        // The last step fails: something stands where the new link is made.
        _ = try fixture.temporary.makeDirectory("library/.larder/next-current")
        #expect(throws: LibraryError.self) { try writer.rollBack(to: nil) { _ in nil } }
        #expect(try seen() == "3")
        #expect(try writer.library.pin()?.holds(museum, serial: 30) == true)
    }

    @Test func whereThereIsNothingToGoBackToNothingChanges() throws {
        #expect(throws: LibraryError.self) { try fixture.writer().rollBack(to: nil) { _ in nil } }
        let writer = try filled(1)
        for (target, code) in [(nil, .notThere), (try number(7), .unknownName)]
            as [(GenerationNumber?, LibraryError.Code)]
        {
            let error = #expect(throws: LibraryError.self) { try writer.rollBack(to: target) { _ in nil } }
            #expect(error?.code == code)
        }
        #expect(try writer.library.pin() == nil)
    }

    @Test func aGenerationThatLacksContentIsRefused() throws {
        let writer = try filled()
        let address = try #require(try writer.library.generations.open(number(2)).addresses.first)
        try writer.library.storeDirectory.removeTree(RelativePath("\(address).receipt"))
        let error = #expect(throws: LibraryError.self) { try writer.rollBack(to: nil) { _ in nil } }
        #expect(error?.message.contains("\(address)") == true)
        #expect(try seen() == "3" && writer.library.pin() == nil)
    }

    @Test func aHigherSerialLiftsThePinOfItsManifestAlone() throws {
        let writer = try filled()
        let other = try #require(ContentID("other"))
        try writer.set(LibraryPin(generation: number(2), hold: .serials([museum: 30, other: 5])))
        try writer.liftPin(for: [museum: 30])
        #expect(try writer.library.pin()?.hold == .serials([museum: 30, other: 5]), "it isn't higher")
        try writer.liftPin(for: [museum: 31])
        #expect(try writer.library.pin()?.hold == .serials([other: 5]))
        _ = try writer.releasePin(of: other)
        #expect(try writer.library.pin() == nil)
    }

    @Test func whatIsPinnedByHandStaysWhateverArrives() throws {
        let writer = try filled()
        #expect(try writer.pinCurrent().value == 3)
        try writer.liftPin(for: [museum: 31])
        #expect(try writer.library.pin()?.holds(museum, serial: 31) == true)
        #expect(try writer.removePin())
        #expect(try !writer.removePin() && writer.library.pin() == nil)
    }

    @Test(arguments: ["", "{}", #"{"format": "larder-pin/2", "generation": 1, "manifests": null}"#, "\u{0}\u{0}\u{0}"])
    func aPinThatCannotBeReadIsNoLeaveToPublish(_ text: String) throws {
        let writer = try filled(1)
        try fixture.temporary.write(text.utf8, to: "library/.larder/pin")
        let error = #expect(throws: LibraryError.self) { try writer.library.pin() }
        #expect(error?.code == .damaged && error?.message.contains("larder unpin") == true)
        #expect(try writer.removePin())
    }

    // MARK: Held generations

    @Test func aHeldGenerationStaysUntilItsDirectoryIsClosed() throws {
        let writer = try filled()
        var held = try fixture.open().generations.holdCurrent()
        #expect(held?.number.value == 3)
        try Sample(text: "4", version: "4").publish(by: writer, manifestText: "4")
        let later = Timestamp(seconds: Timestamp.now.seconds + 86_500)
        #expect(try writer.collect(keep: 1, keepAge: .zero, now: later).generations.map(\.value) == [1, 2])
        held = nil
        #expect(try writer.collect(keep: 1, keepAge: .zero, now: later).generations.map(\.value) == [3])
    }

    @Test func whatACollectionWouldTakeIsToldWithoutTakingIt() throws {
        var writer: LibraryWriter? = try filled()
        writer = nil
        #expect(writer == nil)
        let library = try fixture.open()
        let later = Timestamp(seconds: Timestamp.now.seconds + 86_500)
        let before = try fixture.tree()
        let orphans = try library.orphans(keep: 1, keepAge: .zero, now: later) { _ in false }
        #expect(orphans.generations.map(\.value) == [1, 2] && orphans.contents.count == 2 && orphans.bytes > 0)
        #expect(try fixture.tree() == before)
        let collected = try fixture.writer().collect(keep: 1, keepAge: .zero, now: later)
        #expect(collected.generations == orphans.generations && collected.contents == orphans.contents)
        #expect(collected.freedBytes == orphans.bytes)
    }
}
