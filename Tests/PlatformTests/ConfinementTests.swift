import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct ConfinementTests {
    /// A directory with a file in a folder, links of every kind, and a file outside of it.
    private func trap() throws -> (TemporaryDirectory, Directory) {
        let temporary = try TemporaryDirectory()
        try temporary.write("outside".utf8, to: "outside/secret")
        try temporary.write("inside".utf8, to: "root/folder/file")
        let root = try Directory.open(temporary["root"])
        try root.makeSymbolicLink("folder/up", target: Array("../../outside".utf8))
        try root.makeSymbolicLink("folder/absolute", target: Array(temporary["outside"].utf8))
        try root.makeSymbolicLink("folder/secret", target: Array("../../outside/secret".utf8))
        try root.makeSymbolicLink("folder/self", target: Array("file".utf8))
        try root.makeSymbolicLink("folder/dangling", target: Array("../../outside/new".utf8))
        return (temporary, root)
    }

    private static let readDirectory = O_RDONLY | O_DIRECTORY
    private static let create = O_WRONLY | O_CREAT
    private static let createNew = O_WRONLY | O_CREAT | O_EXCL

    /// Path, flags, and what comes of it: nil for success.
    private static let cases: [(RelativePath, Int32, Int32?)] = [
        ("folder/file", O_RDONLY, nil), ("folder", readDirectory, nil), ("folder/file", 0o10000000, nil),
        ("folder/up/secret", O_RDONLY, ELOOP), ("folder/absolute/secret", O_RDONLY, ELOOP),
        ("folder/secret", O_RDONLY, ELOOP), ("folder/self", O_RDONLY, ELOOP), ("folder/self", O_RDWR, ELOOP),
        ("folder/up", readDirectory, ELOOP), ("folder/secret", 0o10000000, ELOOP),
        ("folder/up", 0o10000000 | O_DIRECTORY, ELOOP), ("folder/up/new", create, ELOOP),
        ("folder/dangling", create, ELOOP), ("folder/dangling", createNew, EEXIST), ("folder/file", createNew, EEXIST),
        ("folder/new", create, nil), ("folder/newer", createNew, nil), ("folder/none", O_RDONLY, ENOENT),
        ("none/file", O_RDONLY, ENOENT), ("folder/file/x", O_RDONLY, ENOTDIR), ("folder/file", readDirectory, ENOTDIR),
        ("folder", O_WRONLY, EISDIR),
    ]

    /// `O_PATH` is 0o10000000 on Linux.
    @Test(arguments: cases)
    func theKernelAndTheFallbackAgree(path: RelativePath, flags: Int32, code: Int32?) throws {
        for open in [Self.byKernel, Self.byComponents] {
            let (temporary, root) = try trap()
            let outcome = outcome { () throws(Platform.SystemError) in try open(root, path, flags) }
            #expect(outcome == code)
            #expect(try directoryEntries(FilePathBytes(temporary["outside"])).count == 1)
        }
    }

    private typealias Opening = @Sendable (Directory, RelativePath, Int32) throws(Platform.SystemError) -> Void
    private static let byKernel: Opening = { root, path, flags throws(Platform.SystemError) in
        _ = try root.open(path, flags: flags)
    }
    private static let byComponents: Opening = { root, path, flags throws(Platform.SystemError) in
        _ = try root.openByComponents(path, flags: flags, mode: 0o644)
    }

    private func outcome(_ body: () throws(Platform.SystemError) -> Void) -> Int32? {
        do { try body() } catch { return error.code }
        return nil
    }

    @Test func aDirectoryThatIsSwappedForALinkIsNotFollowed() throws {
        let (temporary, root) = try trap()
        let held = try root.subdirectory("folder")
        try root.rename("folder", to: "moved")
        try root.makeSymbolicLink("folder", target: Array("../outside".utf8))

        // What is held open stays itself; the name leads nowhere.
        #expect(try held.readFile("file", limitBytes: 10) == Array("inside".utf8))
        #expect(outcome { () throws(Platform.SystemError) in _ = try root.subdirectory("folder") } == ELOOP)
        #expect(outcome { () throws(Platform.SystemError) in _ = try root.status(of: "folder/secret") } == ELOOP)
        #expect(outcome { () throws(Platform.SystemError) in try root.remove("folder/secret") } == ELOOP)
        #expect(outcome { () throws(Platform.SystemError) in try root.makeDirectories("folder/a/b") } == ELOOP)
        #expect(
            outcome { () throws(Platform.SystemError) in try root.rename("moved/file", to: "folder/file") } == ELOOP)
        #expect(outcome { () throws(Platform.SystemError) in try root.link("moved/file", to: "folder/file") } == ELOOP)
        #expect(
            outcome { () throws(Platform.SystemError) in
                try root.replaceFile("folder/secret", with: [], flush: false)
            } == ELOOP)
        #expect(
            outcome { () throws(Platform.SystemError) in try root.makeSymbolicLink("folder/x", target: [1]) } == ELOOP)
        try root.removeTree("folder")
        #expect(try temporary.read("outside/secret") == Array("outside".utf8))
        #expect(try directoryEntries(FilePathBytes(temporary["outside"])).count == 1)
    }

    @Test func operationsOnALinkConcernTheLink() throws {
        let (temporary, root) = try trap()
        #expect(try root.status(of: "folder/secret")?.kind == .symbolicLink)
        #expect(try root.linkTarget(of: "folder/secret") == Array("../../outside/secret".utf8))
        try root.link("folder/secret", to: "second")
        #expect(try root.status(of: "second")?.kind == .symbolicLink)
        try root.replaceFile("folder/secret", with: Array("new".utf8), flush: true)
        #expect(try root.readFile("folder/secret", limitBytes: 10) == Array("new".utf8))
        #expect(try temporary.read("outside/secret") == Array("outside".utf8))
    }
}
