import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

@Suite struct FetchTests {
    private let server: FaultServer
    private let directory: TemporaryDirectory
    private let content = Content.pattern(lengthBytes: 3 << 20, seed: 1)

    init() throws {
        server = try FaultServer()
        directory = try TemporaryDirectory()
        server.serve("/film.bin", Resource(content))
    }

    private func arguments(_ more: [String], url: String? = nil) -> [String] {
        ["fetch", url ?? server.url("/film.bin"), "--retries", "0"] + more
    }

    private func fetch(_ more: String..., url: String? = nil) async throws -> ChildProcess.Result {
        try await LarderProgram.run(arguments(more, url: url), directory: directory.path)
    }

    private func names() throws -> [String] { try directoryEntries(FilePathBytes(directory.path)).map(\.description) }

    private func difference(_ name: String, _ expected: Content? = nil) throws -> String? {
        contentDifference((expected ?? content).bytes(), try directory.read(name))
    }

    @Test func theFileIsNamedByItsURL() async throws {
        let result = try await fetch()
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.outputText.hasPrefix("complete; fetched 3.1 MB, resumed 0 B; "), "\(result)")
        #expect(result.errors.isEmpty)
        #expect(try names() == ["film.bin"])
        #expect(try difference("film.bin") == nil)
    }

    @Test func whatIsNoFileIsRefusedBeforeAByteMoves() async throws {
        _ = try directory.makeDirectory("folder")
        _ = try await ChildProcess.run("mkfifo", [directory["pipe"]])
        for target in ["folder", "pipe", "."] {
            let result = try await fetch("-o", target)
            #expect(result.status == .exited(1), "\(result)")
        }
        #expect(try names() == ["folder", "pipe"])
        #expect(server.log.isEmpty)
    }

    @Test func orByItsUser() async throws {
        #expect(try await fetch("-o", "other").status == .exited(0))
        #expect(try await fetch("--output=made/sub/x").status == .exited(0))
        #expect(try names() == ["made", "other"])
        #expect(try difference("made/sub/x") == nil)
    }

    @Test func standardOutputHoldsNothingElse() async throws {
        let result = try await fetch("-o", "-")
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(contentDifference(content.bytes(), result.output) == nil)
        #expect(result.errorText.hasPrefix("complete; "), "\(result.errorText)")
        #expect(try names() == [])
    }

    /// Another program that has the same pipe may have made it so.
    @Test func standardOutputThatDoesNotWaitIsWaitedFor() async throws {
        let script = """
            import array, fcntl, os, subprocess, sys, termios, time
            ours, theirs = os.pipe()
            os.set_blocking(theirs, False)
            child = subprocess.Popen(sys.argv[1:], stdout=theirs)
            os.close(theirs)
            held = array.array("i", [0])
            while held[0] < 60000 and child.poll() is None:
                fcntl.ioctl(ours, termios.FIONREAD, held)
                time.sleep(0.01)
            while data := os.read(ours, 65536): sys.stdout.buffer.write(data)
            sys.exit(child.wait())
            """
        let command = [try LarderProgram.path, "fetch", server.url("/film.bin"), "-o", "-"]
        let result = try await ChildProcess.run("python3", ["-c", script] + command, directory: directory.path)
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(contentDifference(content.bytes(), result.output) == nil)
    }

    @Test func aURLThatNamesNoFileNeedsAName() async throws {
        server.serve("/", Resource(content))
        let result = try await fetch(url: server.url("/"))
        #expect(result.status == .exited(1) && result.errorText.contains("-o"), "\(result)")
        #expect(try names() == [])
    }

    @Test func theRightDigestIsProven() async throws {
        #expect(try await fetch("--sha256", content.sha256).status == .exited(0))
        let again = try await fetch("--sha256", content.sha256)
        #expect(again.status == .exited(0), "\(again)")
        #expect(again.outputText.hasPrefix("nothing to do: the file is there"), "\(again)")
        #expect(server.log.count == 1)
    }

    @Test func theWrongDigestIsRefusedAndTheOldFileStays() async throws {
        try directory.write([1, 2, 3], to: "film.bin")
        let result = try await fetch("--sha256", String(repeating: "0", count: 64))
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains(server.url("/film.bin")), "\(result)")
        #expect(result.errorText.contains(content.sha256))
        #expect(try names() == ["film.bin"])
        #expect(try directory.read("film.bin") == [1, 2, 3])
    }

    @Test(arguments: [404, 410, 500])
    func anErrorPageIsNoFile(status: Int) async throws {
        try directory.write([1, 2, 3], to: "film.bin")
        server.serve("/film.bin", always: .errorPage(status))
        let result = try await fetch()
        #expect(result.status == .exited(1) && result.errorText.contains("status \(status)"), "\(result)")
        #expect(result.problems.count == 1)
        #expect(try names() == ["film.bin"])
        #expect(try directory.read("film.bin") == [1, 2, 3])
    }

    @Test func theOldFileStaysUntilTheNewOneIsComplete() async throws {
        try directory.write([1, 2, 3], to: "film.bin")
        server.script("/film.bin", [.altered { $0.stalled(afterBytes: 1 << 20) }])
        let run = try LarderProgram.start(arguments(["-o", directory["film.bin"]]))
        try await server.waitUntilSent("/film.bin", bytes: 1 << 20)
        #expect(try directory.read("film.bin") == [1, 2, 3])
        run.kill(SIGTERM)
        #expect(try await run.waitForExit(within: .seconds(5)).status == .exited(143))
        #expect(try directory.read("film.bin") == [1, 2, 3])
        let held = try directory.read("film.bin.part").count
        #expect(try names() == ["film.bin", "film.bin.part", "film.bin.part.resume"])

        let next = try await fetch()
        #expect(next.status == .exited(0), "\(next)")
        #expect(server.log.dropFirst().first?.request["Range"] == "bytes=\(held)-")
        #expect(server.bodyBytesSent("/film.bin") <= (3 << 20) + (1 << 20))
        #expect(try names() == ["film.bin"])
        #expect(try difference("film.bin") == nil)
    }

    @Test(arguments: [1 << 20, 2_000_000, 3_145_727] as [UInt64])
    func afterAKillItGoesOn(at bytes: UInt64) async throws {
        server.script("/film.bin", [.altered { $0.stalled(afterBytes: bytes) }])
        let run = try LarderProgram.start(arguments(["-o", directory["film.bin"]]))
        // What is on its way comes in, since the server waits for good.
        let part = directory["film.bin.part"]
        try await waitUntil("all of it is written") { try readFile(part).count == bytes }
        run.kill(SIGKILL)
        _ = try await run.waitForExit()

        let next = try await fetch()
        #expect(next.status == .exited(0), "\(next)")
        #expect(server.bodyBytesSent("/film.bin") == 3 << 20)
        #expect(try names() == ["film.bin"])
        #expect(try difference("film.bin") == nil)
    }

    @Test func aChangedFileIsFetchedFromItsFirstByte() async throws {
        server.script("/film.bin", [.altered { $0.stalled(afterBytes: 1 << 20) }])
        let run = try LarderProgram.start(arguments(["-o", directory["film.bin"]]))
        try await server.waitUntilSent("/film.bin", bytes: 1 << 20)
        run.kill(SIGINT)
        #expect(try await run.waitForExit(within: .seconds(5)).status == .exited(130))

        let changed = Content.pattern(lengthBytes: 3 << 20, seed: 9)
        server.serve("/film.bin", Resource(changed, etag: "\"v2\""))
        #expect(try await fetch().status == .exited(0))
        #expect(try difference("film.bin", changed) == nil)
        #expect(try names() == ["film.bin"])
    }

    @Test func itGoesOnAfterALostConnection() async throws {
        server.script("/film.bin", [.altered { $0.cut(afterBytes: 1 << 20, .reset) }])
        let result = try await LarderProgram.run(
            ["fetch", server.url("/film.bin"), "--verbose"], directory: directory.path)
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.errorText.contains("going on at "), "\(result)")
        #expect(try difference("film.bin") == nil)
    }

    @Test func aCutThatNobodyCouldSeeIsWarnedOf() async throws {
        server.serve("/film.bin", Resource(content).altered { $1.untilClose() })
        let result = try await fetch()
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.hasPrefix("warning: "), "\(result)")
    }
}
