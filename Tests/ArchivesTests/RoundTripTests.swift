import Archives
import Glibc
import Platform
import Testing

@Suite("Archives made on the spot are read back identical")
struct RoundTripTests {
    static let python = """
        import os, sys, zipfile
        with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
            for root, directories, files in os.walk('.'):
                for name in sorted(directories + files):
                    path = os.path.join(root, name)
                    if not os.path.islink(path): z.write(path)
        """

    static let zipMakers: [[String]] = [
        ["zip", "-q", "-r", "-y", "ARCHIVE", "."],
        ["zip", "-q", "-r", "-y", "-0", "ARCHIVE", "."],
        ["zip", "-q", "-r", "-y", "-9", "-X", "ARCHIVE", "."],
        ["zip", "-q", "-r", "-y", "-fz", "ARCHIVE", "."],
        // Of links, which it stores, zip 3.0 writes no data descriptors.
        ["zip", "-q", "-r", "-y", "-fd", "ARCHIVE", ".", "-x", "./deep/link", "deep/link", "dangling", "./dangling"],
        ["zip", "-q", "-r", "-y", "-D", "-UN=UTF8", "ARCHIVE", "."],
        ["7z", "a", "-tzip", "-bd", "-snl", "ARCHIVE", "."],
        ["7z", "a", "-tzip", "-bd", "-snl", "-mx=9", "-mcu=on", "-mtc=on", "ARCHIVE", "."],
        ["bsdtar", "--format", "zip", "-cf", "ARCHIVE", "."],
        ["bsdtar", "--format", "zip", "--options", "zip:compression=store", "-cf", "ARCHIVE", "."],
        ["python3", "-c", python, "ARCHIVE"],
    ]

    @Test("unzip makes the same tree of it", arguments: zipMakers)
    func sameAsUnzip(command: [String]) async throws {
        let made = try Scratch()
        try makeSampleTree(made.target)
        let archive = made.path + "/archive.zip"
        try await runTool(command.map { $0 == "ARCHIVE" ? archive : $0 }, in: made.targetPath)

        let ours = try Scratch()
        let summary = try Unpacker(source: FileSource(path: archive)).unpack(into: ours.target)
        #expect(summary.warnings.isEmpty)
        let theirs = try Scratch()
        try await runTool(["unzip", "-q", archive], in: theirs.targetPath)

        let (mine, other) = (try ours.tree(), try theirs.tree())
        #expect(Set(mine.keys) == Set(other.keys))
        for (path, item) in other {
            #expect(mine[path]?.kind == item.kind, "\(path)")
            guard case .file(let content) = item.kind else { continue }
            let original = try made.target.readFile(path, limitBytes: 1 << 20)
            #expect(content == original, "\(path)")
            #expect(mine[path]?.status.mode == (item.status.mode & 0o111 != 0 ? 0o755 : 0o644), "\(path)")
        }
    }

    static let pythonTar = """
        import sys, tarfile
        with tarfile.open(sys.argv[1], sys.argv[2], format=int(sys.argv[3])) as t: t.add('.')
        """

    static let tarMakers: [[String]] = [
        ["tar", "--format=v7", "--exclude=directory*", "--exclude=long*", "-cf", "ARCHIVE", "."],
        ["tar", "--format=oldgnu", "-cf", "ARCHIVE", "."],
        ["tar", "--format=gnu", "-cf", "ARCHIVE", "."],
        ["tar", "--format=gnu", "--sparse", "-b", "1", "-cf", "ARCHIVE", "."],
        ["tar", "--format=ustar", "--exclude=long*", "-cf", "ARCHIVE", "."],
        ["tar", "--format=posix", "-cf", "ARCHIVE", "."],
        ["tar", "--format=posix", "--sparse", "--sparse-version=0.0", "-cf", "ARCHIVE", "."],
        ["tar", "--format=posix", "--sparse", "--sparse-version=0.1", "-cf", "ARCHIVE", "."],
        ["tar", "--format=posix", "--sparse", "--sparse-version=1.0", "-cf", "ARCHIVE", "."],
        ["tar", "--format=posix", "--pax-option=globexthdr.name=g,comment=all", "-V", "label", "-cf", "ARCHIVE", "."],
        ["tar", "-czf", "ARCHIVE", "."],
        ["bsdtar", "--format", "pax", "-cf", "ARCHIVE", "."],
        ["bsdtar", "--format", "gnutar", "-cf", "ARCHIVE", "."],
        ["bsdtar", "--format", "ustar", "--exclude=long*", "-czf", "ARCHIVE", "."],
        ["7z", "a", "-ttar", "-bd", "-snl", "ARCHIVE", "."],
        ["python3", "-c", pythonTar, "ARCHIVE", "w", "1"],
        ["python3", "-c", pythonTar, "ARCHIVE", "w:gz", "2"],
    ]

    @Test("Files, links, modes and times come back as they were", arguments: tarMakers)
    func sameAsOriginal(command: [String]) async throws {
        let made = try Scratch()
        try makeSampleTree(made.target)
        try made.target.link("text.txt", to: "deep/again")
        let holes = try made.target.open("holes", flags: O_WRONLY | O_CREAT)
        try holes.write([1, 2, 3])
        try holes.truncate(to: 3_000_000)
        try Array("end".utf8).withUnsafeBytes { try holes.write($0, at: 2_000_000) }
        try holes.setMode(0o644)
        let archive = made.path + "/archive.tar"
        try await runTool(command.map { $0 == "ARCHIVE" ? archive : $0 }, in: made.targetPath)

        let ours = try Scratch()
        let summary = try Unpacker(source: FileSource(path: archive)).unpack(into: ours.target)
        #expect(summary.warnings.isEmpty)
        let mine = try ours.tree()
        // v7 and ustar have no room for the longest names.
        let originals = try made.tree().filter { path, _ in
            !command.contains {
                $0.hasPrefix("--exclude=") && path.bytes.starts(with: $0.dropFirst(10).dropLast().utf8)
            }
        }
        #expect(Set(mine.keys) == Set(originals.keys))
        for (path, item) in originals {
            let found = try #require(mine[path], "\(path)")
            #expect(found.kind == item.kind, "\(path)")
            if case .symbolicLink = item.kind { continue }
            #expect(found.status.modified.seconds == item.status.modified.seconds, "\(path)")
            #expect(found.status.mode == (item.status.mode & 0o111 != 0 ? 0o755 : 0o644), "\(path)")
        }
    }
}
