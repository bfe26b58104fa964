import Glibc
import Platform
import TestSupport
import Testing

@testable import Archives

@Suite("What is created, and what is told of it")
struct ExtractionTests {
    private let content = deterministicBytes(600_000, seed: 1)

    @Test("Files, links and directories are reported with digest, mode and time")
    func report() throws {
        var program = ZipBuilder.Entry("bin/run", content)
        program.mode = 0o104711  // set-uid is dropped
        let created = Locked<[ExtractedEntry]>([])
        let written = Locked(0)
        let observer = UnpackObserver(
            didWrite: { bytes in written.withLock { $0 += bytes } },
            didCreate: { entry in created.withLock { $0.append(entry) } })
        let archive = ZipBuilder([program, .link("run", to: "bin/run"), .init("notes.txt", [1])]).build()
        let unpacking = try Unpacking(archive, observer: observer)
        let summary = try unpacking.outcome.get()
        #expect(summary.files == 2)
        #expect(summary.bytes == 600_001)
        #expect(written.withLock { $0 } == 600_001)
        let entries = created.withLock { $0 }
        #expect(entries.map { String(decoding: $0.path, as: UTF8.self) } == ["bin/run", "notes.txt", "run", "bin"])
        let digest = SHA256.digest(of: content).bytes
        #expect(entries[0].content == .file(sizeBytes: 600_000, sha256: digest, isExecutable: true))
        #expect(entries[0].modifiedSeconds == 1_735_689_600)  // 2025-01-01
        #expect(entries[2].content == .symbolicLink(target: Array("bin/run".utf8)))
        let tree = try unpacking.scratch.tree()
        #expect(tree["bin/run"]?.status.mode == 0o755)
        #expect(tree["bin/run"]?.status.modified == Timestamp(seconds: 1_735_689_600))
        #expect(tree["notes.txt"]?.status.mode == 0o644)
        #expect(tree["bin"]?.status.mode == 0o755)
    }

    @Test("Times are left alone when the policy says so")
    func timesNotPreserved() throws {
        var policy = ExtractionPolicy()
        policy.preservesTimes = false
        let unpacking = try Unpacking([.init("a", [1])], policy: policy)
        #expect(try #require(unpacking.scratch.tree()["a"]).status.modified > Timestamp(seconds: 1_750_000_000))
    }

    @Test("A directory's time holds although files were put into it afterwards")
    func directoryTime() throws {
        var directory = ZipBuilder.Entry("d/")
        directory.mode = 0o040555
        let tree = try Unpacking([directory, .init("d/x", [1])]).scratch.tree()
        #expect(tree["d"]?.status.modified == Timestamp(seconds: 1_735_689_600))
        #expect(tree["d"]?.status.mode == 0o755)
    }

    @Test("The caller's stop ends the work between two pieces")
    func stop() throws {
        let asked = Locked(0)
        let observer = UnpackObserver(shouldStop: {
            asked.withLock { count in
                count += 1
                return count > 4
            }
        })
        let unpacking = try Unpacking(
            ZipBuilder([.init("big", deterministicBytes(2_000_000, seed: 1))]).build(), observer: observer)
        #expect(unpacking.error?.code == .stopped)
        #expect(asked.withLock { $0 } == 5)
    }

    @Test("A check shows the content of the selected files, piece by piece")
    func examining() throws {
        let big = deterministicBytes(700_000, seed: 1)
        var policy = ExtractionPolicy()
        policy.selection = try EntrySelection(strip: 1, exclude: ["b"])
        let seen = Locked<[RelativePath: [UInt8]]>([:])
        var observer = UnpackObserver()
        observer.didExamine = { path, bytes, offset in
            seen.withLock { seen in
                #expect(seen[path, default: []].count == offset)
                seen[path, default: []] += bytes
            }
        }
        for archive in [
            ZipBuilder([.init("d/a", big), .init("d/b", [1]), .init("d/c", [2])]).build(),
            TarBuilder.of { tar in
                for (name, content) in [("d/a", big), ("d/b", [1]), ("d/c", [2])] { tar.add(name, content) }
            },
        ] {
            seen.withLock { $0 = [:] }
            _ = try Unpacker(source: MemorySource(archive), policy: policy).check(observer: observer)
            #expect(seen.withLock { $0 } == ["a": big, "c": [2]])
        }
    }

    @Test("A check and a list end when the caller wants it, and a check tells of nothing created")
    func withoutWriting() throws {
        let archive = MemorySource(TarBuilder.of { $0.add("big", deterministicBytes(2_000_000, seed: 1)) })
        let told = Locked(0)
        let tally = { @Sendable in told.withLock { $0 += 1 } }
        let silent = UnpackObserver(didWrite: { _ in tally() }, didCreate: { _ in tally() })
        #expect(try Unpacker(source: archive).check(observer: silent).bytes == 2_000_000)
        #expect(told.withLock { $0 } == 0)
        let stopping = UnpackObserver(shouldStop: { true })
        let checked = #expect(throws: ArchiveError.self) { try Unpacker(source: archive).check(observer: stopping) }
        #expect(checked?.code == .stopped)
        let listed = #expect(throws: ArchiveError.self) {
            try Unpacker(source: archive).list(observer: stopping) { _ in }
        }
        #expect(listed?.code == .stopped)
    }

    @Test("A file that is already in the target is never replaced or followed")
    func existingFile() throws {
        let scratch = try Scratch()
        try scratch.target.makeSymbolicLink("a", target: Array("../outside".utf8))
        let unpacker = Unpacker(source: MemorySource(ZipBuilder([.init("a", [1])]).build()))
        #expect(throws: ArchiveError.self) { try unpacker.unpack(into: scratch.target) }
        #expect(try scratch.outsideIsUntouched())
    }

    @Test("A link in the target that some other program made is never passed through")
    func existingDirectoryLink() throws {
        let scratch = try Scratch()
        try scratch.target.makeSymbolicLink("d", target: Array("..".utf8))
        let unpacker = Unpacker(source: MemorySource(ZipBuilder([.init("d/evil", [1])]).build()))
        #expect(throws: ArchiveError.self) { try unpacker.unpack(into: scratch.target) }
        #expect(try scratch.outsideIsUntouched())
    }

    @Test(
        "Two entries can't have one path",
        arguments: [
            ["a", "a"], ["a", "a/"], ["a/", "a"], ["a/b", "a"], ["a", "a/b"], ["a", "./a"], ["x//y", "x/y"],
        ])
    func collision(names: [String]) throws {
        let entries = names.map { name in
            var entry = ZipBuilder.Entry(name)
            if name.hasSuffix("/") { entry.mode = 0o040755 }
            return entry
        }
        let unpacking = try Unpacking(entries)
        #expect(unpacking.error?.code == .unsafe)
        #expect(try unpacking.scratch.tree().isEmpty)
    }

    @Test(
        "Names that fold to one are a warning, or refused as not portable",
        arguments: [
            ("README", "readme"), ("straße", "STRASSE"), ("e\u{301}", "\u{e9}"), ("A/x", "a/y"),
        ])
    func folding(first: String, second: String) throws {
        let entries: [ZipBuilder.Entry] = [.init(first, [1]), .init(second, [2])]
        let native = try Unpacking(entries)
        #expect(native.error == nil)
        #expect(native.warnings.count == 1)
        var policy = ExtractionPolicy()
        policy.names = .portable
        #expect(try Unpacking(entries, policy: policy).error?.code == .unsafe)
    }

    @Test(
        "Names that other systems can't hold are refused when they must be portable",
        arguments: ["con", "NUL.txt", "ab:c", "what?", "end.", "end ", "tab\t", "d/LPT1", "COM¹", "lpt³.txt"])
    func portableNames(name: String) throws {
        #expect(try Unpacking([.init(name, [1])]).error == nil)
        var policy = ExtractionPolicy()
        policy.names = .portable
        #expect(try Unpacking([.init(name, [1])], policy: policy).error?.code == .unsafe)
        #expect(try Unpacking([.init("d/console", [1])], policy: policy).error == nil)
    }

    @Test(
        "Every limit ends the unpacking with its own message",
        arguments: [
            (\ExtractionPolicy.Limits.entries, 2, "more than the limit of 2"), (\.depth, 2, "more than 2 components"),
        ])
    func limit(path: WritableKeyPath<ExtractionPolicy.Limits, Int> & Sendable, value: Int, words: String) throws {
        var policy = ExtractionPolicy()
        policy.limits[keyPath: path] = value
        let error = try #require(
            try Unpacking([.init("a"), .init("b/c/d"), .init("e")], policy: policy).error)
        #expect(error.code == .limitExceeded)
        #expect(error.reason.contains(words))
    }

    @Test(
        "Limits of bytes hold for what is declared, before anything is written",
        arguments: [
            \ExtractionPolicy.Limits.totalBytes, \.entryBytes,
        ])
    func byteLimit(path: WritableKeyPath<ExtractionPolicy.Limits, Int64> & Sendable) throws {
        var policy = ExtractionPolicy()
        policy.limits[keyPath: path] = 599_999
        let unpacking = try Unpacking([.init("a", [1]), .init("b", content)], policy: policy)
        #expect(unpacking.error?.code == .limitExceeded)
        #expect(try unpacking.scratch.tree().isEmpty)
    }

    @Test("Directories that paths imply are limited like entries")
    func impliedDirectories() throws {
        var policy = ExtractionPolicy()
        policy.limits.entries = 2
        #expect(try Unpacking([.init("a/b/c/d")], policy: policy).error == nil)
        #expect(try Unpacking([.init("a/b/c/d/e/f")], policy: policy).error?.code == .limitExceeded)
    }

    @Test(
        "A full disk is told from other failures to write", arguments: [(ENOSPC, true), (EDQUOT, true), (EIO, false)])
    func fullDisk(code: Int32, isNoSpace: Bool) {
        let error = ArchiveError(writing: SystemError(code: code, operation: "write", subject: "x"), entry: "x")
        #expect(error.code == (isNoSpace ? .noSpace : .unwritable))
    }

    @Test("A name beyond all measure is cut in the message, between two characters")
    func longNameInMessage() throws {
        let error = try #require(try Unpacking([.init("x" + String(repeating: "é", count: 30_000))]).error)
        #expect(error.entry == "x" + String(repeating: "é", count: 99) + "…")
    }
}
