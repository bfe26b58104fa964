import FaultServer
import Glibc
import TestSupport
import Testing

/// `larder unpack`, as its users start it.
@Suite struct UnpackCommandTests {
    private let directory: TemporaryDirectory
    private let zip = storedZip([
        "walls-1.0/readme.txt": Array("read me".utf8), "walls-1.0/brick.png": Array("brick".utf8),
        "walls-1.0/old/stone.png": Array("stone".utf8),
    ])

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(zip, to: "walls.v2.zip")
    }

    private func unpack(_ arguments: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["unpack"] + arguments, directory: directory.path)
    }

    private func names(_ path: String = "") throws -> [String] {
        try directoryEntries(FilePathBytes(directory[path])).map(\.description)
    }

    // MARK: Unpacking

    @Test func withoutIntoADirectoryIsNamedAfterTheArchive() async throws {
        let result = try await unpack("walls.v2.zip")
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.outputText == "3 files, 17 B unpacked into walls.v2\n")
        #expect(result.errorText == "")
        #expect(try names() == ["walls.v2", "walls.v2.zip"])
        #expect(try directory.read("walls.v2/walls-1.0/old/stone.png") == Array("stone".utf8))
    }

    @Test(arguments: [("x.tar.gz", "x"), ("x.TAR.GZ", "x"), ("x.tgz", "x"), ("x.y.epub", "x.y")])
    func theEndingIsDroppedWhole(file: String, expected: String) async throws {
        try directory.write(zip, to: file)
        #expect(try await unpack(file).status == .exited(0))
        #expect(try names().contains(expected))
    }

    @Test(arguments: ["archive", ".zip"])
    func aNameWithoutAnEndingNeedsInto(file: String) async throws {
        try directory.write(zip, to: file)
        let result = try await unpack(file)
        #expect(result.status == .exited(64))
        #expect(result.errorText.contains("--into"), "\(result)")
        #expect(try await unpack(file, "--into", "out/").status == .exited(0))
        #expect(try names("out") == ["walls-1.0"])
    }

    @Test func selectionAndStrip() async throws {
        let result = try await unpack(
            "walls.v2.zip", "--into", "out", "--strip", "1", "--include", "*.png", "--include", "*.jpg", "--exclude",
            "old/", "-v")
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.outputLines == ["brick.png", "1 file, 5 B unpacked into out"])
        #expect(try names("out") == ["brick.png"])
    }

    @Test func selectingNothingFails() async throws {
        let result = try await unpack("walls.v2.zip", "--include", "*.jpg")
        #expect(result.status == .exited(1))
        #expect(
            result.errorText == "error: walls.v2.zip: nothing in it is selected (include '*.jpg')\n", "\(result)")
        #expect(try names() == ["walls.v2.zip"])
    }

    @Test(arguments: [
        (["--limit-bytes", "10"], "--limit-bytes"), (["--limit-entries", "2"], "--limit-entries"),
        (["--limit-depth", "1"], "--limit-depth"),
    ])
    func aLimitNamesTheOptionThatRaisesIt(options: [String], wayOut: String) async throws {
        let result = try await LarderProgram.run(["unpack", "walls.v2.zip"] + options, directory: directory.path)
        #expect(result.status == .exited(65), "\(result)")
        #expect(result.errorText.contains(wayOut), "\(result)")
    }

    @Test func whatHasNoMarkIsAskedFor() async throws {
        try directory.write([3, 0], to: "x.deflate")
        let result = try await unpack("x.deflate", "--into", "out")
        #expect(result.status == .exited(65), "\(result)")
        #expect(result.errorText.contains("give the format 'deflate'"), "\(result)")
        #expect(try await unpack("x.deflate", "--into", "out", "--format", "deflate").status == .exited(0))
    }

    // MARK: The target

    @Test func anEmptyDirectoryIsFilled() async throws {
        try directory.makeDirectory("out")
        #expect(try await unpack("walls.v2.zip", "--into", "out").status == .exited(0))
        #expect(try names("out") == ["walls-1.0"])
    }

    @Test func anotherOneIsReplacedOnRequestAlone() async throws {
        try directory.write([1], to: "out/mine")
        let refused = try await unpack("walls.v2.zip", "--into", "out")
        #expect(refused.status == .exited(1))
        #expect(refused.errorText == "error: 'out' is there and not empty; --replace replaces it\n")
        #expect(try names("out") == ["mine"])

        #expect(try await unpack("walls.v2.zip", "--into", "out", "--replace").status == .exited(0))
        #expect(try names("out") == ["walls-1.0"])
        #expect(try names() == ["out", "walls.v2.zip"])
    }

    @Test func whatWasReplacedAndStaysIsToldAndNoFailure() async throws {
        try directory.write([1], to: "out/mine")
        let environment = try await FileCalls(beneath: directory.path).environment(
            .fail(EACCES, persistently: false), at: .first("unlink", on: "/mine"))
        let result = try await LarderProgram.run(
            ["unpack", "walls.v2.zip", "--into", "out", "--replace"], environment: environment,
            directory: directory.path)
        #expect(result.status == .exited(0) && result.outputText.contains("unpacked into out"), "\(result)")
        #expect(try names("out") == ["walls-1.0"])
        let left = try #require(try names().first { $0.hasPrefix(".out.") })
        #expect(result.errorText.hasPrefix("warning: what was replaced is left as \(left)"), "\(result)")
        #expect(try names(left) == ["mine"])
    }

    @Test func whatIsReplacedStaysWhenTheArchiveIsNoGood() async throws {
        try directory.write([1], to: "out/mine")
        try directory.write(zip.dropLast(5), to: "cut.zip")
        #expect(try await unpack("cut.zip", "--into", "out", "--replace").status == .exited(65))
        #expect(try names("out") == ["mine"])
        #expect(try names() == ["cut.zip", "out", "walls.v2.zip"])
    }

    @Test(arguments: [".", "..", "out/..", "/", "missing/out", "walls.v2.zip", "link"])
    func whatCannotBecomeADirectoryIsRefused(path: String) async throws {
        #expect(symlink(".", directory["link"]) == 0)
        let result = try await unpack("walls.v2.zip", "--into", path, "--replace")
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.problems.count == 1)
        #expect(try names() == ["link", "walls.v2.zip"])
    }

    // MARK: Errors

    @Test func anErrorNamesArchiveEntryAndOffset() async throws {
        var damaged = zip
        let offset = 30 + "walls-1.0/readme.txt".utf8.count + "read me".utf8.count
        damaged[offset + 30 + "walls-1.0/brick.png".utf8.count] ^= 1
        try directory.write(damaged, to: "damaged.zip")
        for option in ["--into=out", "--test"] {
            let result = try await unpack("damaged.zip", option)
            #expect(result.status == .exited(65))
            let line = "damaged.zip: entry 'walls-1.0/brick.png' at offset \(offset): the CRC-32 of its content"
            #expect(result.errorText.hasPrefix("error: \(line)"), "\(result)")
        }
        #expect(try names() == ["damaged.zip", "walls.v2.zip"])
    }

    @Test(
        arguments: [
            (["missing.zip"], 66), (["."], 66), (["walls.v2.zip", "--list", "--test"], 64),
            (["walls.v2.zip", "--list", "--into", "out"], 64), (["walls.v2.zip", "--test", "--replace"], 64),
            (["walls.v2.zip", "--include", "a["], 64), (["walls.v2.zip", "--format", "rar"], 64), ([], 64),
            (["walls.v2.zip", "--format", "gzip"], 65), (["walls.v2.zip", "--limit-entries", "2"], 65),
            (["walls.v2.zip", "--limit-bytes", "16"], 65), (["walls.v2.zip", "--limit-depth", "2"], 65),
        ] as [([String], Int32)])
    func exitCodes(arguments: [String], code: Int32) async throws {
        let result = try await LarderProgram.run(["unpack"] + arguments, directory: directory.path)
        #expect(result.status == .exited(code), "\(result)")
        #expect(result.problems.count == 1, "\(result)")
        #expect(try names() == ["walls.v2.zip"])
    }

    // MARK: Looking

    @Test func aListHasSizesMethodsAndCheckSums() async throws {
        let result = try await unpack("--list", "walls.v2.zip", "--exclude", "*.txt")
        #expect(result.status == .exited(0), "\(result)")
        let columns = result.outputLines.map { $0.split(separator: " ").map(String.init) }
        try #require(columns.count == 4)
        #expect(columns[0] == ["size", "packed", "method", "crc-32", "modified", "name"])
        let checkSum = hexadecimal(crc32(Array("brick".utf8)))
        #expect(columns[1] == ["5", "5", "stored", checkSum, "1980-01-01T00:00:00Z", "walls-1.0/brick.png"])
        #expect(columns[2].last == "walls-1.0/old/stone.png")
        #expect(result.outputLines[3] == "2 entries; 2 files, 10 B")
        #expect(try names() == ["walls.v2.zip"])
    }

    @Test func aListShowsWhatUnpackingRefuses() async throws {
        try directory.write(storedZip(["good": [1], "../\u{1b}[2J": [2]]), to: "bad.zip")
        let list = try await unpack("--list", "bad.zip", "--include", "good")
        #expect(list.status == .exited(0), "\(list)")
        #expect(list.outputText.contains(#"../\u{1B}[2J (unsafe: the path contains '..')"#), "\(list)")
        #expect(list.outputLines.last == "2 entries; 2 files, 2 B; 1 unsafe name: it is refused")
        #expect(try await unpack("--test", "bad.zip").status == .exited(65))
    }

    @Test func aTarIsListedWithItsLinks() async throws {
        try directory.write(Array("content".utf8), to: "tree/file")
        #expect(symlink("file", directory["tree/soft"]) == 0)
        #expect(link(directory["tree/file"], directory["tree/twin"]) == 0)
        let made = try await ChildProcess.run(
            "tar", ["-czf", "t.tgz", "--sort=name", "tree"], directory: directory.path)
        try #require(made.status == .exited(0), "\(made)")
        let result = try await unpack("--list", "t.tgz")
        #expect(result.status == .exited(0), "\(result)")
        let names = result.outputLines.compactMap { $0.split(separator: "Z  ").dropFirst().last.map(String.init) }
        #expect(names == ["tree/", "tree/file", "tree/soft -> file", "tree/twin = tree/file"])
        #expect(result.outputLines.last == "4 entries; 1 file, 7 B")
    }

    @Test func aSingleFileIsListedWithItsLengthAndCheckSum() async throws {
        try directory.write(Array("content".utf8), to: "note")
        let made = try await ChildProcess.run("gzip", ["note"], directory: directory.path)
        try #require(made.status == .exited(0), "\(made)")
        let result = try await unpack("--list", "note.gz")
        #expect(result.outputLines.count == 3)
        let columns = result.outputLines[1].split(separator: " ").map(String.init)
        #expect(columns.first == "7" && columns.last == "note", "\(result)")
        #expect(columns.contains(hexadecimal(crc32(Array("content".utf8)))), "\(result)")
    }

    @Test func aTestWritesNothing() async throws {
        let result = try await unpack("--test", "walls.v2.zip")
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.outputText == "3 files, 17 B can be unpacked\n")
        #expect(try names() == ["walls.v2.zip"])
    }

    // MARK: Stopping

    /// Starts to unpack an archive of a few kilobytes that takes minutes: 200 GiB of hole, behind a file that tells when they have begun.
    private func startLongWork(environment: [String: String]? = nil) async throws -> ChildProcess {
        try directory.write([1], to: "a")
        let hole = try directory.write([], to: "b")
        #expect(truncate(hole, 200 << 30) == 0)
        let made = try await ChildProcess.run(
            "tar", ["--sparse", "-cf", "long.tar", "--remove-files", "a", "b"], directory: directory.path)
        try #require(made.status == .exited(0), "\(made)")
        let program = try LarderProgram.start(
            ["unpack", directory["long.tar"], "--into", directory["out"], "-v"], environment: environment)
        try await program.wait(for: "the first file") { $0.outputText.hasPrefix("a\n") ? () : nil }
        return program
    }

    /// A slow disk may take longer to give back what was unpacked than a run has to end: which is left half-way by nobody but a second signal.
    @Test func howeverLongItTakesASignalLeavesNothingBehind() async throws {
        let environment = try await FileCalls(beneath: directory.path).environment(
            .stop, at: .first("unlink", on: "/a"))
        let program = try await startLongWork(environment: environment)
        program.kill(SIGTERM)
        try await program.hasStopped()
        // Longer than the patience that others have: there is no event to wait for.
        try await Task.sleep(for: .seconds(5))
        program.kill(SIGCONT)
        let stopped = try await program.waitForExit(within: .seconds(30))
        #expect(stopped.status == .exited(143), "\(stopped)")
        #expect(try names() == ["long.tar", "walls.v2.zip"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalLeavesNothingBehind(signal: Int32) async throws {
        let program = try await startLongWork()
        program.kill(signal)
        let stopped = try await program.waitForExit(within: .seconds(10))
        #expect(stopped.status == .exited(128 + signal), "\(stopped)")
        #expect(try names() == ["long.tar", "walls.v2.zip"])
    }
}

private func hexadecimal(_ crc: UInt32) -> String {
    let digits = String(crc, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
}
