import Glibc
import Platform
import TestSupport
import Testing

@testable import ManifestAuthoring

/// What of a folder becomes what in a manifest.
@Suite struct ManifestCreationTests {
    private let creation: Creation
    private var folder: TemporaryDirectory { creation.folder }

    init() throws { creation = try Creation() }

    @Test func filesOfAFolderAreOneBundleInTheOrderOfTheirNamesBytes() throws {
        for name in ["b", "a/z", "a.txt", "a/é", "Z"] { try folder.write("x".utf8, to: name) }
        #expect(
            try creation.entries().dropFirst() == [
                #"{"path":"Z","urls":["Z"]"#, #"{"path":"a/z","urls":["a/z"]"#,
                #"{"path":"a/é","urls":["a/%C3%A9"]"#, #"{"path":"a.txt","urls":["a.txt"]"#,
                #"{"path":"b","urls":["b"]"#,
            ])
    }

    /// More than are read at once.
    @Test func manyFilesKeepTheirOrder() throws {
        let names = (10000..<15000).map { "\($0)" }
        for name in names { try folder.write(name.utf8, to: name) }
        #expect(try creation.entries().dropFirst() == names.map { #"{"path":"\#($0)","urls":["\#($0)"]"# }[...])
    }

    @Test func aPathIsComposedAndItsURLIsAsTheFileIsCalled() throws {
        try folder.write([], to: "e\u{301}.txt")
        // Byte by byte: strings are equal however they are composed.
        let wanted = "{\"path\":\"\u{e9}.txt\",\"urls\":[\"e%CC%81.txt\"]"
        #expect(try creation.entries().last.map { Array($0.utf8) } == Array(wanted.utf8))
    }

    @Test func urlsAreRelativeToTheNearestFolderOfAllOperands() throws {
        for name in ["f/a", "g/b", "g/c", "g/h/d"] { try folder.write([], to: name) }
        #expect(
            try creation.entries(of: ["g/c", "f", "g/h/d"]) == [
                #"{"id":"f","kind":"files","files":["#, #"{"path":"a","urls":["f/a"]"#,
                #"{"id":"m","kind":"files","files":["#, #"{"path":"c","urls":["g/c"]"#,
                #"{"id":"m-2","kind":"files","files":["#, #"{"path":"d","urls":["g/h/d"]"#,
            ])
        #expect(try creation.entries(of: ["g/c", "g/b"]).last == #"{"path":"c","urls":["c"]"#)
        #expect(try creation.entries(of: ["f/../g/c"]).last == #"{"path":"c","urls":["c"]"#)
    }

    @Test(arguments: [["g/c", "./g/c"], ["g", "g/h/d"], ["g/h", "f", "g"], ["g", "g/"]])
    func whatWouldBeInItTwiceIsRefused(operands: [String]) throws {
        for name in ["f/a", "g/c", "g-2", "g/h/d"] { try folder.write([], to: name) }
        let failure = #expect(throws: CreationProblem.self) { try creation.text(of: operands) }
        guard case .overlapping? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// What a user typed stands in URLs, and not what a link leads to.
    @Test func operandsThatAreLinksKeepTheirNames() throws {
        for name in ["v1/a", "v1.iso"] { try folder.write([], to: name) }
        try check(symlink("v1", folder["latest"]), "symlink")
        try check(symlink("v1.iso", folder["latest.iso"]), "symlink")
        #expect(
            try creation.entries(of: ["latest/", "latest.iso"]) == [
                #"{"id":"latest","kind":"files","files":["#, #"{"path":"a","urls":["latest/a"]"#,
                #"{"id":"m","kind":"files","files":["#, #"{"path":"latest.iso","urls":["latest.iso"]"#,
            ])
        #expect(creation.warnings.isEmpty)
    }

    @Test func patternsCountForOperandsToo() throws {
        for name in ["a", "b"] { try folder.write([], to: name) }
        let selection = FileSelection(excluded: [try PathPattern("b")])
        #expect(
            try creation.entries(of: ["a", "b"], selection: selection).dropFirst() == [#"{"path":"a","urls":["a"]"#])
    }

    @Test(arguments: [["a", "m.json"], [""]])
    func whatTheManifestGoesIntoIsNoneOfItsFiles(operands: [String]) throws {
        try folder.write([], to: "a")
        let output = try OwnedDescriptor.openRegularFile(try folder.write([1], to: "m.json")).status()
        let selection = FileSelection(outputs: [output])
        #expect(try creation.entries(of: operands, selection: selection).dropFirst() == [#"{"path":"a","urls":["a"]"#])
    }

    @Test func linksAndPipesAreToldAndLeftOut() throws {
        try folder.write([], to: "a")
        try check(symlink("a", folder["link"]), "symlink")
        try check(mkfifo(folder["pipe"], 0o644), "mkfifo")
        #expect(try creation.entries().count == 2)
        #expect(creation.warnings.count == 2)
        #expect(creation.warnings.first?.hasSuffix("/link: a link is left out") == true, "\(creation.warnings)")
    }

    @Test(arguments: ["a.zip", "a.tar", "a.TAR.GZ", "a.tgz", "a.epub"])
    func whatIsNoArchiveIsAFileLikeAnyOther(name: String) throws {
        try folder.write("no archive".utf8, to: name)
        #expect(try creation.entries().last == #"{"path":"\#(name)","urls":["\#(name)"]"#)
        #expect(creation.warnings.count == 1)
    }

    @Test func aFileThatGrowsWhileItIsReadIsTold() throws {
        let path = try folder.write([UInt8](repeating: 7, count: 1 << 20), to: "growing")
        let failure = #expect(throws: CreationProblem.self) {
            try creation.text(didRead: {
                let file = open(path, O_WRONLY | O_APPEND)
                write(file, "x", 1)
                close(file)
            })
        }
        guard case .changed(let name) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(name.hasSuffix("growing"))
    }

    /// As by a disk that is worn out.
    @Test func aReadThatFailsInTheMiddleOfAFileIsTold() throws {
        let path = try folder.write([UInt8](repeating: 7, count: 1 << 20), to: "a/worn")
        let failure = #expect(throws: CreationProblem.self) {
            try creation.text(didRead: { breakDescriptors(of: path) })
        }
        guard case .system(let error)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(error.code == EIO && error.description.contains("a/worn"), "\(error)")
    }

    /// Puts what no read succeeds of in the place of a file that is open.
    private func breakDescriptors(of path: String) {
        for name in (try? directoryEntries("/proc/self/fd")) ?? [] {
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/fd/\(name)", &target, target.count - 1)
            guard count > 0, String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) == path,
                let descriptor = Int32(name.description)
            else { continue }
            let broken = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
            dup2(broken, descriptor)
            close(broken)
        }
    }

    /// Bytes of the same number, written by somebody else meanwhile.
    @Test func aFileThatIsOverwrittenWhileItIsReadIsTold() throws {
        let path = try folder.write([UInt8](repeating: 7, count: 1 << 20), to: "changing")
        try setModified(path, secondsAgo: 10)
        #expect(throws: CreationProblem.self) {
            try creation.text(didRead: {
                let file = open(path, O_WRONLY)
                write(file, "x", 1)
                close(file)
            })
        }
    }

    /// One that nobody looked at when presentations and names were.
    @Test func aFileThatIsNewWhenFilesAreReadIsTold() throws {
        for number in 0..<5000 { try folder.write([1], to: "d/\(10000 + number)") }
        let path = folder["z/new"]
        try folder.write([1], to: "z/old")
        let failure = #expect(throws: CreationProblem.self) {
            try creation.text(didRead: { close(open(path, O_WRONLY | O_CREAT, 0o644)) })
        }
        guard case .changed? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// Before what was there earlier has been read, which takes hours.
    @Test(.enabled(if: sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1)) func aFailureEndsItAtOnce() throws {
        try check(truncate(try folder.write([], to: "a"), 1 << 42), "truncate")
        let path = try folder.write([UInt8](repeating: 7, count: 1 << 20), to: "b")
        let end = ContinuousClock.now + .seconds(30)
        let failure = #expect(throws: CreationProblem.self) {
            try creation.text(
                didRead: {
                    let file = open(path, O_WRONLY | O_APPEND)
                    write(file, "x", 1)
                    close(file)
                }, shouldStop: { ContinuousClock.now > end })
        }
        guard case .changed? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func aManifestThatSyncWouldNotReadIsNotMade() throws {
        for name in 0..<100 { try folder.write([], to: "\(name)") }
        let failure = #expect(throws: CreationProblem.self) { try creation.text(limitBytes: 4096) }
        guard case .tooLarge(limitBytes: 4096)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// Stopped while a book is looked at: else it would be a file like any other.
    @Test func whatIsStoppedWhileABookIsReadIsNoManifest() throws {
        try folder.write(Creation.zip, to: "a.epub")
        let isRead = Locked(false)
        let failure = #expect(throws: CreationProblem.self) {
            try creation.text(didRead: { isRead.withLock { $0 = true } }, shouldStop: { isRead.withLock { $0 } })
        }
        guard case .stopped? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// What sync couldn't unpack.
    @Test func aZipThatIsCutOrEncryptedIsAFileLikeAnyOther() throws {
        try folder.write(Creation.zip, to: "a.zip")
        try folder.write(Creation.zip.dropLast(30), to: "cut.zip")
        try folder.write(Creation.zip(flags: 1), to: "locked.zip")
        let entries = try creation.entries().filter { !$0.contains(#""kind":"files""#) }
        #expect(
            entries == [
                #"{"id":"a","kind":"archive","urls":["a.zip"]"#,
                #"{"path":"cut.zip","urls":["cut.zip"]"#, #"{"path":"locked.zip","urls":["locked.zip"]"#,
            ])
        #expect(creation.warnings.count == 2)
        #expect(creation.warnings.contains { $0.contains("locked.zip: 1 of its entries") }, "\(creation.warnings)")
    }

    @Test func anEmptyFolderMakesNoManifest() throws {
        #expect(throws: CreationProblem.self) { try creation.text() }
    }

    // MARK: Names

    /// Each of them, and what is told of it.
    @Test(arguments: [
        (["a\\b"], "backslash"), (["a\nb"], "a\\nb"), (["A", "a"], "same name where case"), (["d/é", "d/É"], "É"),
        (["e\u{301}", "\u{e9}"], "same name"), (["x/a", "X/b"], "same name where case"),
        ([Array(repeating: "d", count: 513).joined(separator: "/")], "512"),
    ])
    func namesThatNoManifestTakesAreTold(names: [String], told: String) throws {
        for name in names { try folder.write([], to: name) }
        let failure = #expect(throws: CreationProblem.self) { try creation.text() }
        guard case .refusedNames(let lines, count: 1) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        if told != "backslash" { #expect(lines[0].contains(told), "\(lines)") }
    }

    /// One that stands in no path comes between two that do.
    @Test func namesThatAreTheSameAreHeldAgainstEachOtherAndNotOnlyAgainstTheNextOne() throws {
        for name in ["FOO/a", "foo/a"] { try folder.write([], to: name) }
        try folder.write(Creation.zip, to: "Foo/x.zip")
        let failure = #expect(throws: CreationProblem.self) { try creation.text() }
        guard case .refusedNames(let lines, count: 1) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(lines[0].hasSuffix("/foo: FOO is the same name where case doesn't count"), "\(lines)")
    }

    /// Windows' file systems have names of 255 letters, which may take more bytes.
    @Test func aNameThatIsTooLongForLinuxIsToldAndNotPassedOver() throws {
        try folder.write([], to: "a")
        var names = try FolderNames(of: Directory.open(folder.path)) { _, _ in true }
        #expect(names.count == 1 && names.unusable.count == 0)
        let long = Array(String(repeating: "é", count: 200).utf8)
        #expect(long.withUnsafeBytes { names.usable($0) } == nil)
        #expect(names.unusable.lines.first?.hasSuffix("is longer than 255 bytes") == true, "\(names.unusable.lines)")
        var check = NameCheck()
        check.check(names, in: nil, of: SourceFolder(try Directory.open(folder.path), path: Array(folder.path.utf8)))
        #expect(check.refused.count == 1)
    }

    /// Only URLs are written of archives.
    @Test func namesThatStandInNoPathAreTaken() throws {
        for name in ["a\\b.zip", "A.zip", "a.zip", "F/c.zip", "f/d.zip"] { try folder.write(Creation.zip, to: name) }
        #expect(try creation.entries().count == 5)
        try folder.write([], to: "f/loose")
        #expect(try creation.entries().count == 7)
        try folder.write([], to: "F/loose")
        #expect(throws: CreationProblem.self) { try creation.entries() }
    }

    /// Of 252 bytes; what it is composed of takes 504.
    @Test func aNameThatCompositionMakesTooLongIsTold() throws {
        try folder.write([], to: String(repeating: "\u{958}", count: 84))
        #expect(throws: CreationProblem.self) { try creation.text() }
    }

    @Test func aNameThatIsNotUTF8IsTold() throws {
        let path = FilePathBytes(Array((folder.path + "/").utf8) + [0x61, 0xFF])
        try check(path.withCString { mknod($0, S_IFREG | 0o644, 0) }, "mknod")
        let failure = #expect(throws: CreationProblem.self) { try creation.text() }
        guard case .refusedNames(let lines, count: 1) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(lines[0].hasSuffix("a\\xff: the name isn't UTF-8"), "\(lines)")
    }
}
