import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct GenerationTests {
    private func text(_ fixture: Fixture, _ path: String) throws -> String {
        String(decoding: try fixture.temporary.read("library/current/\(path)"), as: UTF8.self)
    }

    @Test func whatARunDidNotTouchRollsForward() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        try Sample("museum", "gallery", text: "m1").publish(by: writer, manifestText: "museum 1")
        try Sample("school", "books", text: "s1").publish(by: writer, manifestText: "school 1")
        try Sample("museum", "gallery", text: "m2").publish(by: writer, manifestText: "museum 2")

        #expect(try fixture.open().generations.currentNumber()?.description == "000003")
        #expect(try text(fixture, "museum/gallery/content.txt") == "m2")
        #expect(try text(fixture, "school/books/content.txt") == "s1")
        #expect(try text(fixture, "museum/.manifest.json") == "museum 2")
        #expect(try text(fixture, "school/.manifest.json") == "school 1")
        let old = try fixture.temporary.read("library/generations/000002/museum/gallery/content.txt")
        #expect(old == Array("m1".utf8))
    }

    @Test func aBundleThatFailedKeepsItsOldContent() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let (gallery, guide) = (try Sample(text: "g1"), try Sample("museum", "guide", text: "u1"))
        var draft = GenerationDraft(base: nil)
        draft.setManifest(
            gallery.bundle.manifest, bytes: [1],
            contents: [try gallery.commit(by: writer), try guide.commit(by: writer)])
        let first = try #require(try writer.publish(draft))

        draft = GenerationDraft(base: first)
        let (failed, new) = (guide.bundle.bundle, try #require(ContentID("new")))
        draft.setManifest(
            gallery.bundle.manifest, bytes: [2], contents: [try Sample(text: "g2").commit(by: writer)],
            rollingForward: [failed, new])
        let second = try #require(try writer.publish(draft))
        #expect(try text(fixture, "museum/gallery/content.txt") == "g2")
        #expect(try text(fixture, "museum/guide/content.txt") == "u1")
        // It never had any content.
        #expect(second.manifests[gallery.bundle.manifest]?[new] == nil)

        // The manifest no longer names it.
        draft = GenerationDraft(base: second)
        draft.setManifest(gallery.bundle.manifest, bytes: [3], contents: [try Sample(text: "g2").commit(by: writer)])
        #expect(try writer.publish(draft)?.manifests[gallery.bundle.manifest]?.keys.map(\.description) == ["gallery"])
    }

    @Test func nothingNewIsNoNewGeneration() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        #expect(try writer.publish(GenerationDraft(base: nil)) == nil)
        let sample = try Sample()
        let first = try sample.publish(by: writer, manifestText: "same")
        var draft = GenerationDraft(base: first)
        #expect(try writer.publish(draft) == nil)
        draft.setManifest(sample.bundle.manifest, bytes: Array("same".utf8), contents: [try sample.commit(by: writer)])
        #expect(try writer.publish(draft) == nil)
        // Other bytes of the manifest are news, even with the same content.
        draft.setManifest(sample.bundle.manifest, bytes: Array("other".utf8), contents: [try sample.commit(by: writer)])
        #expect(try writer.publish(draft)?.number.value == 2)
    }

    @Test func aManifestCanBeTakenOut() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        try Sample("museum", "gallery").publish(by: writer)
        let both = try Sample("school", "books").publish(by: writer)
        var draft = GenerationDraft(base: both)
        draft.removeManifest(try #require(ContentID("museum")))
        #expect(try writer.publish(draft)?.manifests.keys.map(\.description) == ["school"])
    }

    /// What is on the disk when a publication is cut short after each of its steps.
    @Test(arguments: 0...3)
    func aPublicationCutShortLeavesCurrentWhole(steps: Int) throws {
        let fixture = try Fixture()
        var writer: LibraryWriter? = try fixture.writer()
        try Sample(text: "old").publish(by: #require(writer))
        try interruptedPublication(of: Sample(text: "new"), by: #require(writer), after: steps)
        writer = nil

        #expect(try text(fixture, "museum/gallery/content.txt") == (steps == 3 ? "new" : "old"))
        let next = try fixture.writer()
        #expect(try text(fixture, "museum/gallery/content.txt") == (steps == 3 ? "new" : "old"))
        #expect(try next.library.generationsDirectory.names().allSatisfy { GenerationNumber($0.bytes) != nil })
        // The next run finds what was committed, and carries on with a number that was never used.
        #expect(try next.library.store.find(Sample(text: "new").origin) != nil)
        let generation = try Sample(text: "newer").publish(by: next)
        #expect(generation.number.value == (steps < 2 ? 2 : 3))
        #expect(try text(fixture, "museum/gallery/content.txt") == "newer")
    }

    private func interruptedPublication(of sample: Sample, by writer: LibraryWriter, after steps: Int) throws {
        var draft = GenerationDraft(base: try writer.library.generations.current())
        draft.setManifest(sample.bundle.manifest, bytes: [], contents: [try sample.commit(by: writer)])
        let number = try #require(GenerationNumber(2))
        if steps > 0 { try writer.write(draft, as: number) }
        if steps > 1 { _ = try writer.moveIntoPlace(number) }
        if steps > 2 { try writer.makeCurrent(number) }
    }

    /// What a link was about to become when a restoration was killed is nobody else's.
    @Test func whatAKilledRestorationLeftIsNoStray() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let folder = "generations/\(try Sample().publish(by: writer).number)"
        let digits = "001f2e3d4c5b6a79"
        let own = ["..contents.\(digits)", "museum/.gallery.new", "museum/..manifest.json.\(digits)"]
        let others = ["..contents.1f", ".notes.\(digits)", "museum/.other.new", "museum/notes"]
        for name in own + others { try fixture.temporary.write([], to: "library/\(folder)/\(name)") }
        #expect(try writer.library.strays() == others.map { "\(folder)/\($0)" })
    }

    /// A hidden file in the library's own folder may be somebody's: only what a killed run was about to put in the pin's place goes.
    @Test func ofHiddenFilesOnlyThoseOfTheLibraryGo() throws {
        let fixture = try Fixture()
        _ = try fixture.writer()
        let leftover = "library/.larder/.pin.001f2e3d4c5b6a79"
        for path in [leftover, "library/.larder/.notes", "library/.larder/partial/.unnamed.001f2e3d4c5b6a79"] {
            try fixture.temporary.write([], to: path)
        }
        #expect(try fixture.open().strays() == [".larder/.notes"])
        let library = try fixture.writer().library
        #expect(try library.strays() == [".larder/.notes"])
        #expect(try library.partial.names().isEmpty)
        #expect(access(fixture.temporary[leftover], F_OK) != 0)
    }

    @Test func aHalfMadeNextCurrentIsNotInTheWay() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        try writer.library.internals.makeSymbolicLink("next-current", target: Array("nowhere".utf8))
        #expect(try Sample().publish(by: writer).number.value == 1)
    }

    @Test(arguments: ["elsewhere", "generations/", "generations/42", "generations/000000", "../generations/000001"])
    func aCurrentThatNamesNoGenerationIsReported(target: String) throws {
        let fixture = try Fixture()
        let library = try fixture.open()
        try fixture.directory().makeSymbolicLink("current", target: Array(target.utf8))
        let error = #expect(throws: LibraryError.self) { try library.generations.currentNumber() }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("\(fixture.path)/current") == true)
    }

    @Test func aCurrentThatIsNoLinkIsReported() throws {
        let fixture = try Fixture()
        let library = try fixture.open()
        try fixture.directory().makeDirectory("current")
        #expect(throws: LibraryError.self) { try library.generations.currentNumber() }
    }

    @Test(arguments: [
        "../../../store/museum/other/7@0123456789abcdef", "/etc", "../../../store/museum/gallery/../../x",
    ])
    func aLinkThatLeadsElsewhereIsReported(target: String) throws {
        let fixture = try Fixture()
        try Sample().publish(by: fixture.writer())
        let link: RelativePath = "generations/000001/museum/gallery"
        try fixture.directory().remove(link)
        try fixture.directory().makeSymbolicLink(link, target: Array(target.utf8))
        try fixture.directory().remove("generations/000001/.contents")
        let error = #expect(throws: LibraryError.self) { try fixture.open().generations.current() }
        #expect(error?.message.contains("000001/museum/gallery") == true)
    }

    @Test(arguments: [(1, "000001"), (999_999, "999999"), (1_000_000, "1000000")])
    func aNumberHasAtLeastSixDigits(value: Int, name: String) throws {
        let number = try #require(GenerationNumber(value))
        #expect(number.description == name)
        #expect(GenerationNumber(Array(name.utf8)) == number)
    }

    @Test(arguments: [
        "1", "0000001", "000000", "-00001", "+00001", ".000001.new", "99999999999999999999", "", "00000a",
    ])
    func otherNamesAreNoGenerations(name: String) { #expect(GenerationNumber(Array(name.utf8)) == nil) }
}
