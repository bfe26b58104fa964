import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct DirectoryTests {
    private let temporary: TemporaryDirectory
    private let root: Directory

    init() throws {
        temporary = try TemporaryDirectory()
        root = try Directory.open(temporary.path)
    }

    @Test(arguments: ["made", "made/", "one/two/three", "one/two/three/"])
    func anOpenedDirectoryIsMadeWithItsParents(path: String) throws {
        try Directory.open(temporary[path], create: true).makeDirectory("inside")
        try Directory.open(temporary[path], create: true).removeDirectory("inside")
    }

    @Test(arguments: ["", "file", "file/below"])
    func whatCanBeNoDirectoryIsRefused(path: String) throws {
        try temporary.write([], to: "file")
        #expect(throws: Platform.SystemError.self) {
            try Directory.open(path.isEmpty ? "" : temporary[path], create: true)
        }
    }

    @Test func whatIsNotThereIsNoFailureForWhoAsksWhetherItIs() throws {
        #expect(try root.openIfThere("none", flags: O_RDONLY) == nil)
        #expect(try root.openIfThere("none/below", flags: O_RDONLY) == nil)
        #expect(try root.status(of: "none/below") == nil)
        try temporary.write([7], to: "file")
        #expect(try root.openIfThere("file", flags: O_RDONLY)?.name == "\(root.name)/file")
        try root.makeSymbolicLink("link", target: Array("file".utf8))
        #expect { try root.openIfThere("link", flags: O_RDONLY) } throws: {
            ($0 as? Platform.SystemError)?.code == ELOOP
        }
        #expect { try root.open("none", flags: O_RDONLY) } throws: { error in
            "\(error)" == "can't open \(root.name)/none: No such file or directory"
        }
    }

    @Test func namesAreWholeWhateverTheirLength() throws {
        let names = try (1...255).map { try RelativePath([UInt8](repeating: 0xee, count: $0)) }
        for name in names { try root.makeDirectory(name) }
        #expect(try Set(root.names()) == Set(names))
        // Listing leaves no position behind.
        #expect(try root.names().count == 255)
    }

    /// Some file systems have them: what can't be named isn't passed over as if it weren't there.
    @Test func aNameThatIsLongerThanLinuxHasThemIsNotHidden() throws {
        var names = Directory.NameList()
        for name in [".", "..", "a", String(repeating: "x", count: 256)] { names.add(name.utf8) }
        let error = #expect(throws: Platform.SystemError.self) { try names.paths(in: "/media") }
        #expect(error?.code == ENAMETOOLONG && error?.subject.hasPrefix("/media/xxx") == true)
    }

    @Test func whatLiesInTheRootIsNamedWithOneSlash() throws {
        let error = #expect(throws: Platform.SystemError.self) {
            try Directory.open("/").open("larder-none", flags: O_RDONLY)
        }
        #expect(error?.subject == "/larder-none")
        #expect(try Directory.open("/").open("proc", flags: O_RDONLY | O_DIRECTORY).name == "/proc")
    }

    @Test func aReplacedFileHasItsModeWhateverTheUmask() async throws {
        try await onOwnThread(umask: 0o077) { [root] in
            try root.replaceFile("file", with: [1], mode: 0o644, flush: true)
            try root.replaceFile("file", with: [1, 2], mode: 0o755, flush: false)
        }
        #expect(try root.status(of: "file")?.mode == 0o755)
        #expect(try root.readFile("file", limitBytes: 2) == [1, 2])
        #expect(try root.names() == ["file"])
    }

    @Test func aFailedReplacementLeavesNothing() throws {
        try root.makeDirectory("directory")
        #expect(throws: Platform.SystemError.self) { try root.replaceFile("directory", with: [1], flush: false) }
        #expect(try root.names() == ["directory"])
    }

    @Test func theLongestNameCanBeReplaced() throws {
        let name = try RelativePath(String(repeating: "x", count: 255))
        try root.replaceFile(name, with: [1], flush: false)
        #expect(try root.names() == [name])
    }

    @Test func aFileLongerThanAllowedIsNotRead() throws {
        try temporary.write([1, 2, 3], to: "file")
        #expect(try root.readFile("file", limitBytes: 3) == [1, 2, 3])
        let error = #expect(throws: Platform.SystemError.self) { try root.readFile("file", limitBytes: 2) }
        #expect(error?.code == EFBIG)
    }

    @Test func aCopiedFileHasTheSameBytesAndItsOwnMode() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
        try temporary.write(bytes, to: "source", mode: 0o600)
        try await onOwnThread(umask: 0o077) { [root] in
            let source = try root.open("source", flags: O_RDONLY)
            _ = try root.copyFile(from: source, to: "copy")
        }
        #expect(try temporary.read("copy") == bytes)
        #expect(try root.status(of: "copy")?.mode == 0o644)
        let source = try root.open("source", flags: O_RDONLY)
        let error = #expect(throws: Platform.SystemError.self) { try root.copyFile(from: source, to: "copy") }
        #expect(error?.code == EEXIST)
    }

    @Test func aCopyThatFailsLeavesNothing() throws {
        #expect(throws: Platform.SystemError.self) { try root.copyFile(from: root.descriptor, to: "copy") }
        #expect(try root.names().isEmpty)
    }

    @Test func aTreeIsRemovedWithDirectoriesThatMayNotBeWritten() async throws {
        #expect(chmod(temporary.path, 0o777) == 0)
        try await onOwnThread(unprivileged: true) { [root] in
            try root.makeDirectories("tree/closed/inner")
            try root.replaceFile("tree/closed/inner/file", with: [1], flush: false)
            try root.makeDirectories("tree/shut")
            try root.makeDirectories("tree/blind")
            for (path, mode) in [
                ("tree/closed/inner", 0o500), ("tree/closed", 0o100), ("tree/shut", 0), ("tree/blind", 0o300),
            ] {
                let handle = try root.open(RelativePath(path), flags: O_RDONLY)
                try handle.setMode(mode_t(mode))
            }
            try root.removeTree("tree")
        }
        #expect(try root.names().isEmpty)
    }

    @Test func removingATreeFollowsNoLinkAndMindsNothingMissing() throws {
        try temporary.write([1], to: "kept/file")
        try root.makeDirectories("tree/a/b")
        try root.makeSymbolicLink("tree/a/link", target: Array("../../kept".utf8))
        try root.makeSymbolicLink("link", target: Array("kept".utf8))
        try root.removeTree("tree")
        try root.removeTree("link")
        try root.removeTree("none")
        try root.removeTree("none/none")
        #expect(try root.names() == ["kept"])
        #expect(try temporary.read("kept/file") == [1])
    }

    @Test func removalTellsWhatItGaveBack() throws {
        try temporary.write([UInt8](repeating: 1, count: 100_000), to: "tree/one")
        try temporary.write([UInt8](repeating: 1, count: 100_000), to: "tree/two")
        try root.link("tree/two", to: "kept")
        let expected = try #require(try root.status(of: "tree/one")).allocatedBytes
        #expect(try root.removeTree("tree") == expected)
        #expect(try root.removeTree("kept") > 0)
        #expect(try root.removeTree("kept") == 0)
    }

    @Test func aDeepTreeIsRemovedWithoutRecursion() throws {
        let deep = try RelativePath(String(repeating: "d/", count: 300) + "d")
        try root.makeDirectories(deep)
        try root.synchronizeTree("d")
        try root.removeTree("d")
        #expect(try root.names().isEmpty)
    }

    @Test func flushingAWideTreeHoldsFewDescriptors() throws {
        // What a process is usually allowed; other tests run beside this one and must do with it anyway.
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var before = rlimit()
        #expect(getrlimit(resource, &before) == 0)
        var usual = rlimit(rlim_cur: min(1_024, before.rlim_cur), rlim_max: before.rlim_max)
        #expect(setrlimit(resource, &usual) == 0)
        defer { setrlimit(resource, &before) }

        for number in 0..<1_100 { try root.makeDirectories(RelativePath("tree/\(number)")) }
        try root.synchronizeTree("tree")
    }

    @Test func renamingReplacesOnlyWhereAsked() throws {
        try temporary.write([1], to: "one")
        try temporary.write([2], to: "two")
        let error = #expect(throws: Platform.SystemError.self) { try root.rename("one", to: "two", replacing: false) }
        #expect(error?.code == EEXIST)
        try root.makeDirectory("other")
        try root.rename("one", to: "two", in: root.subdirectory("other"))
        try root.rename("other/two", to: "two")
        #expect(try temporary.read("two") == [1])
        #expect(try root.names().count == 2)
    }
}
