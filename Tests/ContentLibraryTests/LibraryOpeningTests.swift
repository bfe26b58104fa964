import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct LibraryOpeningTests {
    @Test func theFirstOpeningForWritingLaysTheLibraryOut() throws {
        let fixture = try Fixture()
        _ = try Library.open(fixture.temporary["library/"], for: .writing)

        #expect(try fixture.tree() == ["generations", "store"])
        #expect(
            try directoryEntries(FilePathBytes(fixture.temporary["library/.larder"])).map(\.description)
                == ["lock", "partial", "quarantine", "staging"])
    }

    @Test func everythingIsForAllToReadWhateverTheUmask() async throws {
        let fixture = try Fixture()
        try await onOwnThread(umask: 0o077) {
            let writer = try fixture.writer()
            let staging = try writer.makeStaging()
            try staging.write("#!/bin/sh", to: "bin/run", mode: 0o700)
            try staging.write("text", to: "notes/read.me", mode: 0o600)
            try staging.directory.makeDirectory("empty", mode: 0o700)
            let sample = try Sample()
            let content = try writer.commit(staging.seal(), origin: sample.origin, sources: [])
            var draft = GenerationDraft(base: nil)
            draft.setManifest(sample.bundle.manifest, bytes: [], contents: [content])
            _ = try writer.publish(draft)
        }
        let root = try fixture.directory()
        for path in try fixture.tree() + [".larder", ".larder/partial"] {
            let status = try #require(try root.status(of: RelativePath(path)))
            switch status.kind {
            case .directory: #expect(status.mode == 0o755, "\(path)")
            case .file: #expect(status.mode == (path.hasSuffix("bin/run") ? 0o755 : 0o644), "\(path)")
            default: break
            }
        }
        #expect(try root.descriptor.status().mode == 0o755)
    }

    @Test(arguments: ["letters/to-mother.txt", ".profile", "store/shelf", "generations/1"])
    func whatSomebodyElseHasFilledIsNoLibrary(file: String) throws {
        let fixture = try Fixture()
        try fixture.temporary.write([], to: "library/\(file)")
        let before = try fixture.tree()
        let error = #expect(throws: LibraryError.self) { try Library.open(fixture.path, for: .writing) }
        #expect(error?.code == .unusablePlace)
        #expect(error?.message.contains("not empty") == true && error?.message.contains(fixture.path) == true)
        #expect(try fixture.tree() == before)
    }

    /// The outer one would take it for an orphan of its own, or publish over it.
    @Test(arguments: ["inner", "store/inner", "current/inner"], [false, true])
    func aLibraryInALibraryIsRefused(place: String, isThere: Bool) throws {
        let fixture = try Fixture()
        try Sample().publish(by: fixture.writer())
        if isThere { try fixture.temporary.makeDirectory("library/\(place)") }
        let before = try fixture.tree()
        let error = #expect(throws: LibraryError.self) { try Library.open("\(fixture.path)/\(place)", for: .writing) }
        #expect(error?.code == .unusablePlace)
        #expect(error?.message.contains("lies in the library \(fixture.path)") == true, "\(String(describing: error))")
        #expect(try fixture.tree() == before)
    }

    @Test(arguments: [["lost+found"], [".larder/partial"], [".larder", "store", "generations"], ["current", "store"]])
    func whatIsEmptyOrHasTheRemainsOfALibraryBecomesOne(folders: [String]) throws {
        let fixture = try Fixture()
        for folder in folders { try fixture.temporary.makeDirectory("library/\(folder)") }
        _ = try Library.open(fixture.path, for: .writing)
    }

    @Test func openingForReadingMakesNothing() throws {
        let fixture = try Fixture()
        let error = #expect(throws: LibraryError.self) { try Library.open(fixture.path, for: .reading) }
        #expect(error?.code == .notALibrary)
        #expect(error?.message.contains(fixture.path) == true)
        #expect(try directoryEntries(FilePathBytes(fixture.temporary.path)).isEmpty)
    }

    @Test func aLibraryCanBeReadByThoseWhoMayNotWriteIt() async throws {
        let fixture = try Fixture()
        try Sample().publish(by: fixture.writer())
        #expect(chmod(fixture.temporary.path, 0o755) == 0)
        let text = try await onOwnThread(unprivileged: true) {
            let library = try Library.open(fixture.path, for: .reading)
            let generation = try #require(try library.generations.current())
            let address = try #require(generation.addresses.first)
            let content = try #require(try library.store.open(address))
            return try content.open().readFile("content.txt", limitBytes: 100)
        }
        #expect(text == Array("one".utf8))
    }

    @Test func whereTheUserMayNotWriteThePathAndTheWayOutAreTold() async throws {
        let fixture = try Fixture()
        _ = try fixture.temporary.makeDirectory("library")
        #expect(chmod(fixture.temporary.path, 0o755) == 0)
        #expect(chmod(fixture.path, 0o555) == 0)
        let error = await #expect(throws: LibraryError.self) {
            try await onOwnThread(unprivileged: true) { _ = try fixture.open() }
        }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains(fixture.path) == true)
        #expect(error?.message.contains("name another library") == true)
    }

    @Test(.enabled(if: getuid() == 0, "only root can be another user for a while"))
    func anExistingLibraryOfAnotherUserIsRefusedForWriting() async throws {
        let fixture = try Fixture()
        _ = try fixture.open()
        #expect(chmod(fixture.temporary.path, 0o755) == 0)
        let error = await #expect(throws: LibraryError.self) {
            try await onOwnThread(unprivileged: true) { _ = try fixture.writer() }
        }
        #expect(error?.code == .permissionDenied)
    }

    /// Journals are for their owner only, and so is the lock.
    @Test(.enabled(if: getuid() == 0, "only root can be another user for a while"))
    func whoMayOnlyReadALibraryMayLookWhatACollectionWouldTake() async throws {
        let fixture = try Fixture()
        try Sample().publish(by: fixture.writer())
        let sample = try Sample("museum", "guide", text: "begun")
        try fixture.writer().makeStaging(for: sample.bundle).note(sample.sources[0], at: "content.txt")
        try fixture.temporary.write("begun".utf8, to: "library/.larder/staging/1/content.txt")
        #expect(try fixture.open().stagedFigures().count == 1)
        #expect(chmod(fixture.temporary.path, 0o755) == 0)
        try await onOwnThread(unprivileged: true) {
            let library = try Library.open(fixture.path, for: .reading)
            _ = try library.salvage()
            #expect(try library.orphans { _ in true }.contents.isEmpty)
        }
    }

    @Test(arguments: ["file", "file/library"])
    func aPathThatCanBeNoDirectoryIsNamed(path: String) throws {
        let fixture = try Fixture()
        try fixture.temporary.write([], to: "file")
        let error = #expect(throws: LibraryError.self) {
            try Library.open(fixture.temporary[path], for: .writing)
        }
        #expect(error?.message.contains(fixture.temporary[path]) == true)
    }

    @Test func aSetupThatWasCutShortIsCarriedOn() throws {
        let fixture = try Fixture()
        _ = try fixture.temporary.makeDirectory("library/.larder/staging")
        _ = try fixture.temporary.makeDirectory("library/.larder/.probe.0000000000000001")
        _ = try fixture.writer()
        #expect(
            try directoryEntries(FilePathBytes(fixture.temporary["library/.larder"])).map(\.description)
                == ["lock", "partial", "quarantine", "staging"])
    }

    @Test func aDirectoryOfTheLibraryThatBecameALinkIsRefused() throws {
        let fixture = try Fixture()
        _ = try fixture.open()
        try fixture.directory().removeDirectory("store")
        try fixture.directory().makeSymbolicLink("store", target: Array("/tmp".utf8))
        let error = #expect(throws: LibraryError.self) { try fixture.open() }
        #expect(error?.message.contains("\(fixture.path)/store") == true)
    }

    @Test func theProbeFindsNothingMissingHere() throws {
        let temporary = try TemporaryDirectory()
        #expect(try FileSystemProbe(directory: Directory.open(temporary.path)).missingFeature() == nil)
    }

    @Test func controlCharactersOfAPathAreEscapedInMessages() throws {
        let error = #expect(throws: LibraryError.self) {
            try Library.open("/nowhere\u{1b}[2J", for: .reading)
        }
        #expect(error?.message.contains("/nowhere\\u{1B}[2J") == true)
    }
}
