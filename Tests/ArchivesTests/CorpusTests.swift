import Archives
import Platform
import Testing

@Suite("Real archives have the outcome that their corpus names")
struct CorpusTests {
    /// Kinds that hold one file without a name of its own.
    private static let singleFileKinds: Set = ["gzip", "zlib"]

    /// Where we differ from the corpus, on purpose.
    private static let differences: [String: ArchiveError.Code] = [
        // Bare deflate carries no mark that could be detected: it is read when the caller says so, and unknown otherwise.
        "commons-compress/src/test/resources/bla.tar.deflate": .malformed,
        // Extension headers of 2 and 4 GiB are refused for what they claim, before it could be seen that they are cut short as well.
        "commons-compress/src/test/resources/synthetic/long-name/gnu-fail.tar": .malformed,
        "libarchive/libarchive/test/test_read_format_tar_pax_g_large.tar": .malformed,
    ]

    @Test(arguments: CorpusCase.all)
    func hasItsOutcome(_ item: CorpusCase) throws {
        let scratch = try Scratch()
        var policy = ExtractionPolicy()
        if Self.singleFileKinds.contains(item.kind) { policy.singleFileName = "content" }
        let outcome = Result { () throws(ArchiveError) in
            try Unpacker(source: FileSource(path: item.file), policy: policy).unpack(into: scratch.target)
        }
        #expect(try scratch.outsideIsUntouched())
        try expectSameWithoutWriting(item, policy, outcome)
        switch (outcome, item.expectedClass) {
        case (.success(let summary), .ok):
            // What is right draws no warning, but for names of unknown encoding.
            #expect(summary.warnings.allSatisfy { $0.contains("is not UTF-8") })
            try compare(scratch, with: item)
        case (.success, .okWithWarning), (.success, .either): try compare(scratch, with: item)
        case (.success(let summary), let expected): Issue.record("was unpacked (\(summary)), not \(expected)")
        case (.failure, .either): break
        case (.failure(let error), let expected):
            #expect(error.code == Self.differences[item.path] ?? expected.code, "\(error)")
            #expect(error.archive == item.file)
        }
    }

    /// A check says what unpacking does, and a list tells of every file there is.
    private func expectSameWithoutWriting(
        _ item: CorpusCase, _ policy: ExtractionPolicy, _ outcome: Result<UnpackSummary, ArchiveError>
    ) throws {
        let checked = Result { () throws(ArchiveError) in
            try Unpacker(source: FileSource(path: item.file), policy: policy).check()
        }
        #expect(checked == outcome)
        guard case .success(let summary) = outcome else { return }
        var files = 0
        let unpacker = try Unpacker(source: FileSource(path: item.file), policy: policy)
        let format = try unpacker.list { entry in
            #expect(entry.problem == nil)
            if entry.kind == .file || entry.kind == .hardLink { files += 1 }
        }
        #expect(format == summary.format)
        // A further name of a symbolic link becomes one, which is no file.
        #expect(files == summary.files || item.entries.contains { $0.type == "hardlink" })
    }

    private func compare(_ scratch: Scratch, with item: CorpusCase) throws {
        let tree = try scratch.tree()
        var unlisted = Set(tree.filter { $0.value.kind != .directory }.keys)
        for entry in item.entries {
            let path = Self.singleFileKinds.contains(item.kind) ? "content" : entry.path
            guard let path, entry.type != "volume" else { continue }
            unlisted.remove(path)
            guard let found = tree[path] else {
                Issue.record("\(path) is missing")
                continue
            }
            switch (entry.type, found.kind) {
            case ("file", .file(let content)), ("hardlink", .file(let content)):
                #expect(entry.size == nil || entry.size == Int64(content.count), "\(path)")
                #expect(entry.crc32 == nil || entry.crc32 == crc32(content), "\(path)")
                #expect(found.status.mode == (entry.isExecutable ? 0o755 : 0o644), "\(path)")
                #expect(entry.mtime == nil || entry.mtime?.seconds == found.status.modified.seconds, "\(path)")
            case ("dir", .directory), ("dumpdir", .directory):
                #expect(found.status.mode == 0o755, "\(path)")
                #expect(entry.mtime == nil || entry.mtime?.seconds == found.status.modified.seconds, "\(path)")
            case ("hardlink", .symbolicLink): break  // A further name of a link is a link.
            case ("symlink", .symbolicLink(let target)):
                #expect(target == Array((entry.link ?? "").utf8), "\(path)")
            default: Issue.record("\(path) is \(found.kind), not \(entry.type)")
            }
        }
        #expect(unlisted.isEmpty, "not in the list")
    }
}

extension CorpusCase.Class {
    fileprivate var code: ArchiveError.Code? {
        switch self {
        case .malformed: .malformed
        case .corrupted: .corrupted
        case .unsupported: .unsupported
        case .unsafe: .unsafe
        case .ok, .okWithWarning, .either: nil
        }
    }
}
