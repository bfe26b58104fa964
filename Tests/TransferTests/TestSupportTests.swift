import Glibc
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    @Test func keepsOutputsApart() async throws {
        let result = try await ChildProcess.run("sh", ["-c", "printf out; printf err >&2; exit 7"])
        #expect(result.outputText == "out")
        #expect(result.errorText == "err")
        #expect(result.status == .exited(7))
    }

    @Test func passesInputEnvironmentAndDirectory() async throws {
        let directory = try TemporaryDirectory()
        let input = deterministicBytes(300_000, seed: 1)
        let echoed = try await ChildProcess.run("cat", input: input)
        #expect(contentDifference(input, echoed.output) == nil)
        let said = try await ChildProcess.run(
            "/bin/sh", ["-c", "pwd -P; env"], environment: ["GREETING": "a=b"], directory: directory.path)
        let lines = said.outputText.split(separator: "\n")
        #expect(lines.first.map(String.init) == directory.path)
        #expect(lines.contains("GREETING=a=b"))
        #expect(!lines.contains { $0.hasPrefix("HOME=") })
    }

    @Test func survivesAChildThatReadsNothing() async throws {
        let result = try await ChildProcess.run("true", input: deterministicBytes(300_000, seed: 1))
        #expect(result.status == .exited(0))
    }

    @Test func boundsWhatItKeeps() async throws {
        let child = try ChildProcess("head", ["-c", "1000000", "/dev/zero"], outputLimitBytes: 1000)
        let result = try await child.waitForExit()
        #expect(result.output.count == 1000)
        #expect(result.isTruncated)
    }

    @Test func endsWithTheProcessNotWithItsDescendants() async throws {
        let result = try await ChildProcess.run("sh", ["-c", "sleep 60 & echo $!"])
        #expect(result.status == .exited(0))
        let sleeper = try #require(pid_t(result.outputText.dropLast()))
        #expect(kill(sleeper, SIGKILL) == 0)
    }

    @Test func reportsTheSignalThatEndedIt() async throws {
        let child = try ChildProcess(
            "sh", ["-c", "trap 'echo caught; exit 3' TERM; echo ready; while :; do sleep 0.01; done"])
        try await child.wait(for: "ready") { $0.outputText == "ready\n" ? () : nil }
        child.kill(SIGTERM)
        let trapped = try await child.waitForExit()
        #expect(trapped.status == .exited(3))
        #expect(trapped.outputText == "ready\ncaught\n")

        let other = try ChildProcess("sleep", ["60"])
        other.kill(SIGINT)
        #expect(try await other.waitForExit().status == .signalled(SIGINT))
    }

    @Test func failsAtOnceWhenAProcessEndsWithoutWhatWasWaitedFor() async throws {
        let child = try ChildProcess("sh", ["-c", "echo why >&2; exit 1"])
        let error = await #expect(throws: ChildProcess.EndedEarly.self) {
            try await child.wait(for: "success") { $0.outputText == "success" ? () : nil }
        }
        #expect(error?.description.contains("why") == true)
    }

    @Test func namesAMissingTool() {
        let error = #expect(throws: MissingTool.self) { try Tool.path("no-such-tool") }
        #expect(error?.description.contains("'no-such-tool', which isn't installed") == true)
    }

    @Test func endsWithItsOwner() async throws {
        let processID = try ChildProcess("sleep", ["60"]).processID
        // Whoever reaps it, it is gone soon; the probe itself is a process, so nothing is polled.
        let probe = try await ChildProcess.run("tail", ["--pid=\(processID)", "-f", "/dev/null"])
        #expect(probe.status == .exited(0))
    }
}

@Suite struct NginxServerTests {
    private let root: TemporaryDirectory
    private let bytes = deterministicBytes(200_000, seed: 3)

    init() throws {
        root = try TemporaryDirectory()
        try root.write(bytes, to: "media/a file.bin")
    }

    @Test func servesAndCounts() async throws {
        let nginx = try await NginxServer(root: root.path)
        let url = nginx.url("/media/a%20file.bin?x=1")
        let whole = try await ChildProcess.run("curl", ["-sS", url])
        #expect(contentDifference(bytes, whole.output) == nil)
        let part = try await ChildProcess.run("curl", ["-sS", "-r", "199990-", url])
        #expect(part.output == Array(bytes.suffix(10)))
        let missing = try await ChildProcess.run("curl", ["-sS", "-o", "/dev/null", nginx.url("/none")])
        #expect(missing.status == .exited(0))
        let accesses = try await nginx.waitForAccesses(3)
        #expect(accesses.map(\.status) == [200, 206, 404])
        #expect(accesses.map(\.range) == [nil, "bytes=199990-", nil])
        #expect(accesses.first?.target == "/media/a%20file.bin?x=1")
        #expect(nginx.bodyBytesSent("/media/a%20file.bin") == 200_010)
    }

    @Test func limitsItsRate() async throws {
        let nginx = try await NginxServer(root: root.path, limitRate: 1000)
        let client = try ChildProcess("curl", ["-sS", "--no-buffer", nginx.url("/media/a%20file.bin")])
        try await client.wait(for: "the first bytes") { $0.output.isEmpty ? nil : () }
        client.kill(SIGKILL)
        try await nginx.waitForAccesses(1)
        #expect(1..<200_000 ~= nginx.bodyBytesSent("/media/a%20file.bin"))
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func speaksTLS(host: String) async throws {
        let nginx = try await NginxServer(root: root.path, isSecure: true)
        let authority = try #require(nginx.certificate).certificatePath
        let url = nginx.url("/media/a%20file.bin", host: host)
        let trusting = try await ChildProcess.run("curl", ["-sS", "--cacert", authority, url])
        #expect(contentDifference(bytes, trusting.output) == nil)
        #expect(try await ChildProcess.run("curl", ["-sS", url]).status == .exited(60))
    }

    @Test func takesDirectives() async throws {
        let nginx = try await NginxServer(root: root.path, serverDirectives: "location = /pot { return 418 teapot; }")
        let result = try await ChildProcess.run("curl", ["-sS", "-w", " %{http_code}", nginx.url("/pot")])
        #expect(result.outputText == "teapot 418")
    }

    @Test func saysWhatIsWrongWithItsConfiguration() async throws {
        let error = await #expect(throws: ChildProcess.EndedEarly.self) {
            try await NginxServer(root: root.path, serverDirectives: "nonsense;")
        }
        #expect(error?.description.contains("unknown directive") == true)
    }
}

@Suite struct TestToolsTests {
    @Test func removesATemporaryDirectoryWithReadOnlyChildren() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        try directory?.write([1], to: "a/b/c", mode: 0o400)
        #expect(symlink("/nowhere", "\(path)/a/link") == 0)
        #expect(chmod("\(path)/a/b", 0o500) == 0)
        #expect(chmod("\(path)/a", 0) == 0)
        directory = nil
        #expect(access(path, F_OK) != 0)
    }

    @Test func tellsTreesApart() throws {
        let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        for directory in [one, other] {
            try directory.write([1, 2, 3], to: "same/file")
            #expect(symlink("same", directory["link"]) == 0)
        }
        #expect(try treeDifferences(one.path, other.path, comparingModes: true) == [])

        try one.write([], to: "only-expected")
        try other.write([], to: "only/actual")
        try one.write([1, 2, 3], to: "content")
        try other.write([1, 2, 4, 5], to: "content")
        try one.write([], to: "mode", mode: 0o755)
        try other.write([], to: "mode")
        try one.write([], to: "kind")
        try other.makeDirectory("kind")
        #expect(symlink("a", one["target"]) == 0)
        #expect(symlink("b", other["target"]) == 0)
        #expect(
            try treeDifferences(one.path, other.path, comparingModes: true) == [
                "content: differs from byte 2 on; 4 bytes instead of 3", "kind: a directory instead of a file",
                "mode: mode 644 instead of 755", "only: unexpected", "only-expected: missing",
                "target: links to b instead of a",
            ])
    }

    @Test func recordsEventsForThoseWhoWait() async throws {
        let recorder = EventRecorder<Int>()
        recorder.record(1)
        async let later = recorder.first("a big one") { $0 > 10 }
        recorder.record(2)
        recorder.record(11)
        #expect(try await later == 11)
        #expect(try await recorder.first("a past one") { $0 == 1 } == 1)
        #expect(try await recorder.events(atLeast: 3) == [1, 2, 11])
        let error = await #expect(throws: WaitTimedOut.self) {
            try await recorder.first("a hundred", within: .milliseconds(10)) { $0 == 100 }
        }
        #expect(error?.description.hasSuffix("for a hundred; what there is: [1, 2, 11]") == true)
    }

    @Test func stopsWaitingWhenCancelled() async throws {
        let recorder = EventRecorder<Int>()
        let waiting = Task { try await recorder.first("nothing") { _ in true } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func randomBytesAreTheSameEverywhere() {
        // The generator's published test vector.
        var generator = SplitMix64(seed: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
        #expect(deterministicBytes(11, seed: 5).prefix(9) == deterministicBytes(9, seed: 5)[...])
        var (one, same, other) = (Seed.generator(for: "a"), Seed.generator(for: "a"), Seed.generator(for: "b"))
        #expect(one.next() == same.next())
        #expect(one.next() != other.next())
    }
}
