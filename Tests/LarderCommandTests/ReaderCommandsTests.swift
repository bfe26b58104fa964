import FaultServer
import Glibc
import TestSupport
import Testing

/// `larder path` and `larder run`: for those who read a library.
@Suite struct ReaderCommandsTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func publish(seed: UInt64, serial: Int) async throws {
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 1000, seed: seed))], serial: serial)
        #expect(try await stock.sync("--keep", "1", "--keep-age", "0s").status == .exited(0))
    }

    private func run(_ command: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["run", "--library", stock.library, "--"] + command)
    }

    // MARK: path

    @Test func thePathThatReadersUseIsPrinted() async throws {
        try await publish(seed: 1, serial: 1)
        for name in ["a", "m/a"] {
            let result = try await LarderProgram.run(["path", name, "--library", stock.library])
            #expect(result.status == .exited(0) && result.outputText == "\(stock.library)/current/m/a\n", "\(result)")
        }
        let relative = try await LarderProgram.run(
            ["path", "a", "--library", "library"], directory: stock.directory.path)
        #expect(relative.outputText == "\(stock.library)/current/m/a\n", "\(relative)")
    }

    @Test func whatIsNotThereHasNoPath() async throws {
        try await publish(seed: 1, serial: 1)
        for name in ["b", "m/b", "b/a", "../a", "m/a/data"] {
            let result = try await LarderProgram.run(["path", name, "--library", stock.library])
            #expect(result.status == .exited(64) && result.output.isEmpty, "\(name): \(result)")
        }
    }

    @Test func aBundleOfTwoManifestsHasToBeNamedInFull() async throws {
        try await publish(seed: 1, serial: 1)
        let other = Stock.manifest([stock.file("a", .pattern(lengthBytes: 1000, seed: 2))], id: "other")
        stock.server.serve("/other.json", Resource(.text(other)))
        #expect(try await stock.sync(manifests: [stock.server.url("/other.json")]).status == .exited(0))
        let result = try await LarderProgram.run(["path", "a", "--library", stock.library])
        #expect(result.status == .exited(64) && result.errorText.contains("m/a, other/a"), "\(result)")
    }

    // MARK: run

    /// Neither is anything else than the bytes that it was given.
    @Test func whatIsNoTextIsHandedOnAsItIs() async throws {
        try await publish(seed: 1, serial: 1)
        let script = #"b=$(printf 'a\377\376'); X=$b exec "$0" run -l "$1" -- sh -c 'printf "%s %s" "$X" "$1"' sh "$b""#
        let result = try await ChildProcess.run("sh", ["-c", script, try LarderProgram.path, stock.library])
        #expect(result.output == Array("a".utf8) + [0xFF, 0xFE, 0x20, 0x61, 0xFF, 0xFE], "\(result)")
    }

    @Test func theProgramIsToldWhereItsGenerationIs() async throws {
        try await publish(seed: 1, serial: 1)
        let result = try await run(
            "sh", "-c", #"echo "$LARDER_GENERATION $LARDER_LIBRARY"; cksum < "$LARDER_CURRENT/m/a/data"; exit 7"#)
        #expect(result.status == .exited(7), "\(result)")
        #expect(result.outputLines.first == "1 \(stock.library)" && result.outputLines.last?.contains(" 1000") == true)
    }

    @Test func whatItBeganWithStaysUntilItEnds() async throws {
        try await publish(seed: 1, serial: 1)
        let script = #"echo ready; read line; cat "$LARDER_CURRENT/m/a/data" | wc -c"#
        let (reading, writing) = try Self.pipe()
        // The program's standard input is what it waits for.
        let player = try ChildProcess(
            LarderProgram.path,
            [
                "run", "--library", stock.library, "--", "sh", "-c",
                script.replacing("read line", with: "read line <&3"),
            ],
            inherited: [reading.number])
        _ = try await player.wait(for: "its first word") { $0.outputText.contains("ready") ? true : nil }
        reading.close()
        try await publish(seed: 2, serial: 2)
        try await publish(seed: 3, serial: 3)
        #expect(try generations() == ["000001", "000003"], "the first is held, the second is not")
        _ = [UInt8(ascii: "\n")].withUnsafeBytes { write(writing.number, $0.baseAddress, 1) }
        let result = try await player.waitForExit()
        #expect(result.outputLines.last == "1000", "\(result)")
        try await publish(seed: 4, serial: 4)
        #expect(try generations() == ["000004"])
    }

    private static func pipe() throws -> (reading: OwnedDescriptor, writing: OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        try check(Glibc.pipe(&ends), "pipe")
        ends.forEach(setCloseOnExec)
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    private func generations() throws -> [String] {
        try directoryEntries(FilePathBytes("\(stock.library)/generations")).map(\.description)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGKILL]) func signalsReachIt(_ signal: Int32) async throws {
        try await publish(seed: 1, serial: 1)
        let player = try LarderProgram.start(
            ["run", "--library", stock.library, "--", "sh", "-c", "echo ready; exec sleep 600"])
        _ = try await player.wait(for: "its first word") { $0.outputText.contains("ready") ? true : nil }
        player.kill(signal)
        #expect(try await player.waitForExit().status == .signalled(signal))
    }

    @Test func itInheritsNothingButTheHold() async throws {
        try await publish(seed: 1, serial: 1)
        // Signals that are blocked or ignored, and open descriptors.
        let result = try await run(
            "sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status; readlink /proc/self/fd/*")
        for line in result.outputLines.prefix(2) {
            // The C library has two of its own above those that anybody sends.
            let signals = try #require(UInt64(line.suffix(16), radix: 16), "\(result)")
            #expect(signals & 0x7FFF_FFFF == 0, "\(line)")
        }
        #expect(result.outputLines.filter { $0.hasPrefix(stock.library) } == ["\(stock.library)/generations/000001"])
    }

    @Test func whatCannotBeRunIsToldAsShellsDo() async throws {
        try await publish(seed: 1, serial: 1)
        #expect(try await run("larder-has-no-such-program").status == .exited(127))
        // As where a folder of `PATH` is a file, or may not be looked into.
        let path = "\(try stock.directory.write([], to: "no-folder")):/usr/bin:/bin"
        let nobody = try await LarderProgram.run(
            ["run", "--library", stock.library, "--", "larder-has-no-such-program"], environment: ["PATH": path])
        #expect(nobody.status == .exited(127), "\(nobody)")
        #expect(try await run(stock.library).status == .exited(126))
        let nowhere = try await LarderProgram.run(["run", "--library", stock.directory["nowhere"], "--", "true"])
        #expect(nowhere.status == .exited(66), "\(nowhere)")
    }

    @Test func beforeAnythingIsPublishedNothingIsRun() async throws {
        stock.serveManifest([])
        _ = try await stock.sync()
        let result = try await run("true")
        #expect(result.status == .exited(1), "\(result)")
    }
}

/// What a library on a disk that can't be written to is still good for.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"))
struct ReadOnlyLibraryRootTests {
    @Test func itIsReadAndToldOf() async throws {
        let server = try FaultServer()
        server.serve("/a.bin", Resource(.pattern(lengthBytes: 1000, seed: 1)))
        server.serve(
            "/m.json",
            Resource(.text(Stock.manifest([#"{"id": "a", "kind": "ebook", "urls": ["a.bin"]}"#]))))
        let disk = try await MountedDisk(sizeBytes: 16 << 20)
        let library = "\(disk.path)/library"
        let sync = try await LarderProgram.run(
            ["sync", server.url("/m.json"), "--library", library, "--min-free", "0"])
        #expect(sync.status == .exited(0), "\(sync)")
        try await disk.remount("ro")
        let looks = [["status"], ["status", "--json"], ["history"], ["explain", "a"], ["path", "a"]]
        for look in looks {
            let result = try await LarderProgram.run(look + ["--library", library])
            #expect(result.status == .exited(0) && result.problems.isEmpty, "\(look): \(result)")
        }
        let player = try await LarderProgram.run(
            ["run", "--library", library, "--", "sh", "-c", #"wc -c < "$LARDER_CURRENT/m/a/a.bin""#])
        #expect(player.outputText == "1000\n", "\(player)")
        for change in ["rollback", "pin", "unpin", "clean"] {
            let result = try await LarderProgram.run([change, "--library", library])
            #expect(result.status == .exited(1) && result.problems.count == 1, "\(change): \(result)")
        }
    }
}
