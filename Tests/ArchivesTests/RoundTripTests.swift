import Archives
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

    static let makers: [[String]] = [
        ["zip", "-q", "-r", "-y", "ARCHIVE", "."],
        ["zip", "-q", "-r", "-y", "-0", "ARCHIVE", "."],
        ["zip", "-q", "-r", "-y", "-9", "-X", "ARCHIVE", "."],
        ["zip", "-q", "-r", "-y", "-fz", "ARCHIVE", "."],
        ["zip", "-q", "-r", "-y", "-fd", "ARCHIVE", "."],
        ["zip", "-q", "-r", "-y", "-D", "-UN=UTF8", "ARCHIVE", "."],
        ["7z", "a", "-tzip", "-bd", "-snl", "ARCHIVE", "."],
        ["7z", "a", "-tzip", "-bd", "-snl", "-mx=9", "-mcu=on", "-mtc=on", "ARCHIVE", "."],
        ["bsdtar", "--format", "zip", "-cf", "ARCHIVE", "."],
        ["bsdtar", "--format", "zip", "--options", "zip:compression=store", "-cf", "ARCHIVE", "."],
        ["python3", "-c", python, "ARCHIVE"],
    ]

    @Test("unzip makes the same tree of it", arguments: makers)
    func sameAsUnzip(command: [String]) throws {
        let made = try Scratch()
        try makeSampleTree(made.target)
        let archive = made.path + "/archive.zip"
        let status = try run(command.map { $0 == "ARCHIVE" ? archive : $0 }, in: made.targetPath)
        try #require(status == 0, "\(command[0]) failed")

        let ours = try Scratch()
        let summary = try Unpacker(source: FileSource(path: archive)).unpack(into: ours.target)
        #expect(summary.warnings.isEmpty)
        let theirs = try Scratch()
        try #require(try run(["unzip", "-q", archive], in: theirs.targetPath) == 0)

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
}
