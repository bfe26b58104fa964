import Glibc
import TestSupport
import Testing

@testable import Platform

/// Files by the names that users gave them, and what they are called until they have those.
@Suite struct NamedFileTests {
    private let temporary: TemporaryDirectory
    private let root: Directory

    init() throws {
        temporary = try TemporaryDirectory()
        root = try Directory.open(temporary.path)
    }

    @Test(arguments: [0o640, 0o600, 0o644])
    func aFileThatIsReplacedStaysWhoseItWasAndForWhomItWas(mode: mode_t) throws {
        let path = try temporary.write([1], to: "file", mode: mode)
        // Nobody but root can give it away.
        let isGiven = chown(path, 12_345, 12_346) == 0
        try Directory.replaceFile(named: path, with: [2])
        let status = try #require(try root.status(of: "file"))
        #expect(try temporary.read("file") == [2] && status.mode == mode)
        #expect(!isGiven || (status.userID, status.groupID) == (12_345, 12_346))
    }

    @Test func aFileThatIsNewIsForAllToRead() async throws {
        try await onOwnThread(umask: 0o077) { [temporary] in
            try Directory.replaceFile(named: temporary["new"], with: [2])
        }
        #expect(try root.status(of: "new")?.mode == 0o644)
    }

    @Test(arguments: ["", "/", "sub/", "sub/.", "sub/..", ".", ".."])
    func aPathThatNamesNoFileIsToldWithThePath(path: String) throws {
        let path = path.isEmpty || path == "/" ? path : temporary[path]
        let error = #expect(throws: Platform.SystemError.self) { try Directory.openParent(of: path) }
        #expect(error?.code == EISDIR && error?.subject == "'\(path)'", "\(path)")
    }

    @Test func aNameThatIsTooLongIsToldWithThePath() throws {
        let path = temporary[String(repeating: "x", count: 256)]
        let error = #expect(throws: Platform.SystemError.self) { try Directory.openParent(of: path) }
        #expect(error?.code == ENAMETOOLONG && error?.subject == "'\(path)'")
    }

    @Test func theFolderIsNamedWithoutTheSlashesBehindIt() throws {
        try temporary.makeDirectory("sub")
        #expect(try Directory.openParent(of: temporary["sub//file"]).directory.name == temporary["sub"])
        #expect(try Directory.openParent(of: "/file").directory.name == "/")
        #expect(try Directory.openParent(of: "file").directory.name == ".")
    }

    // MARK: Temporary names

    /// Of 16 digits even where the number is small.
    @Test func aTemporaryNameHasSixteenDigits() throws {
        for _ in 0..<200 {
            let name = try root.temporarySibling(of: "sub/name").name.description
            #expect(name.wholeMatch(of: /\.name\.[0-9a-f]{16}/) != nil, "\(name)")
        }
    }

    @Test(arguments: ["é", "€", "😀", "\u{1}"])
    func aLongNameIsCutBetweenCharacters(character: String) throws {
        for shift in 0..<4 {
            let count = (255 - shift) / character.utf8.count
            let text = String(repeating: "x", count: shift) + String(repeating: character, count: count)
            let name = try RelativePath(text)
            let temporary = try root.temporarySibling(of: name)
            #expect(String(validating: temporary.bytes, as: UTF8.self) != nil)
            #expect((252...255).contains(temporary.bytes.count))
            try root.makeDirectory(temporary)
            #expect(try root.temporarySiblings(of: name) == [temporary])
            try root.removeDirectory(temporary)
        }
    }

    /// What a user called so stays theirs.
    @Test func onlySuchNamesAreTakenForLeftovers() throws {
        let own = try root.temporarySibling(of: "pin")
        for name in [
            own.description, ".pin", ".pin.", ".pin.1", ".pin.0123456789abcde", ".pin.0123456789ABCDEF",
            ".pin.0123456789abcdef0", ".pins.0123456789abcdef", "pin.0123456789abcdef", ".pin.+123456789abcdef",
            ".pin..0123456789abcde",
        ] {
            try root.makeDirectory(RelativePath(name))
        }
        #expect(try root.temporarySiblings(of: "pin") == [own])
    }
}
