import FaultServer
import Glibc
import JSONSyntax
import TestSupport
import Testing

/// What `--json` prints.
@Suite struct EventTests {
    /// The names in `Manifests.md`, with `run.failed` for what concerns a whole run or manifest.
    private static let names: Set<String> = [
        "run.started", "manifest.loaded", "bundle.planned", "transfer.started", "transfer.coalesced",
        "transfer.resumed", "transfer.progress", "transfer.paused", "transfer.retrying", "transfer.failed",
        "transfer.finished", "bundle.verified", "bundle.unpacked", "bundle.published", "bundle.failed",
        "generation.published", "warning", "run.finished", "run.failed", "session.rebuilt", "network.waiting",
        "pressure.memory", "pressure.disk", "partial.evicted", "leftovers.evicted", "content.damaged",
        "content.verified", "content.mended",
        "library.verified", "courier.taken", "file.copied", "bundle.exported",
    ]

    @Test func everyLineIsAnEventInASensibleOrder() async throws {
        let stock = try Stock()
        let content = Content.pattern(lengthBytes: 600_000, seed: 1)
        stock.serveManifest([
            stock.file("a", content), stock.archive("z", storedZip(["x.txt": Array("xyz".utf8)])),
            #"{"id": "gone", "kind": "ebook", "urls": ["gone.epub"]}"#,
            #"{"id": "extra", "kind": "ebook", "urls": ["gone.epub"], "required": false}"#,
        ])
        stock.server.script("/a.bin", [.altered { $0.cut(afterBytes: 300_000, .reset) }])

        let result = try await LarderProgram.run(
            ["sync", stock.manifestURL, "--library", stock.library, "--min-free", "0", "--retries", "2", "--json"])

        #expect(result.status == .exited(2), "\(result)")
        let events = result.events
        #expect(events.count == result.outputLines.count, "every line is JSON")
        for event in events {
            #expect(Self.names.contains(event.name ?? ""), "\(event.name ?? "none")")
            let time = event.value["time"]?.string ?? ""
            #expect(time.count == 24 && time.hasSuffix("Z"), "\(time)")
        }
        #expect(events.first?.name == "run.started")
        #expect(events.last?.name == "run.finished")

        let ofA = events.filter { $0.bundle == "a" }.compactMap(\.name).filter { $0 != "transfer.progress" }
        #expect(
            ofA == [
                "bundle.planned", "transfer.started", "transfer.retrying", "transfer.started", "transfer.resumed",
                "transfer.finished", "bundle.verified", "bundle.published",
            ])
        let ofZ = events.filter { $0.bundle == "z" }.compactMap(\.name).filter { $0 != "transfer.progress" }
        #expect(
            ofZ == [
                "bundle.planned", "transfer.started", "transfer.finished", "bundle.verified", "bundle.unpacked",
                "bundle.published",
            ])
        let failed = try #require(events.first { $0.name == "bundle.failed" })
        #expect(failed.bundle == "gone" && failed.value["code"]?.string == "unacceptableStatus")
        #expect(failed.value["manifest"]?.string == "m")
        #expect(failed.value["url"]?.string == stock.server.url("/gone.epub"))
        #expect(events.contains { $0.name == "warning" && $0.bundle == "extra" })
        let planned = try #require(events.first { $0.name == "bundle.planned" && $0.bundle == "a" })
        #expect(planned["bytes"] == 600_000)
        #expect(events.first { $0.name == "generation.published" }?["number"] == 1)
    }

    @Test func theFiguresAtTheEndAreThoseOfTheServer() async throws {
        let stock = try Stock()
        let content = Content.pattern(lengthBytes: 600_000, seed: 1)
        stock.serveManifest([stock.file("a", content), stock.file("b", .pattern(lengthBytes: 70_000, seed: 2))])

        let end = try await stock.sync("--json").finished

        let log = stock.server.log
        #expect(end["exit"] == 0)
        #expect(end["requests"] == log.count)
        #expect(end["bytesFetched"] == log.reduce(0) { $0 + Int($1.bodyBytesSent) })
        #expect(end["bytesResumed"] == 0 && end["bytesCoalesced"] == 0)
        #expect(end["bytesWritten"] == 670_000)
        #expect(
            ["published", "unchanged", "failed", "paused"].map(end.bundles) == [2, 0, 0, 0])
        #expect(end.value["durationSeconds"]?.double ?? -1 > 0)
    }

    @Test func aRefusedManifestIsTold() async throws {
        let stock = try Stock()
        let result = try await stock.sync("--json", manifests: [stock.directory.write("{}".utf8, to: "m.json")])
        #expect(result.events.compactMap(\.name).filter { $0 == "run.failed" }.isEmpty == false)
        #expect(try result.finished["exit"] == 65)
    }

    @Test func secretsAreNotPrinted() async throws {
        let stock = try Stock()
        let origin = stock.server.origin.replacing("http://", with: "http://user:hunter2@")
        stock.serveManifest([#"{"id": "a", "kind": "ebook", "urls": ["\#(origin)/gone.epub?token=s3cret"]}"#])
        let result = try await stock.sync("--json", "--verbose")
        #expect(!result.outputText.contains("hunter2") && !result.errorText.contains("hunter2"), "\(result)")
    }

    @Test(arguments: [["--json"], []])
    func whatCantBeToldIsAFailure(options: [String]) async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 1))])
        let result = try await ChildProcess.run(
            "sh", ["-c", "exec \"$0\" \"$@\" > /dev/full", try LarderProgram.path] + stock.arguments(options))
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.errorText.contains("standard output"), "\(result)")
        #expect(try stock.published() == ["a"])
    }
}

/// Who is told what, and where.
@Suite struct OutputTests {
    private let stock: Stock

    init() throws {
        stock = try Stock()
        stock.serveManifest([
            stock.file("a", .pattern(lengthBytes: 1000, seed: 1)),
            #"{"id": "extra", "kind": "ebook", "urls": ["gone.epub"], "required": false}"#,
        ])
    }

    @Test func theSummaryGoesToStdoutAndProblemsToStderr() async throws {
        let result = try await stock.sync()
        #expect(result.outputLines.count == 1)
        #expect(result.outputText.contains("1 published, 0 unchanged, 1 failed; fetched "), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.hasPrefix("warning: m/extra: "), "\(result)")
        #expect(!result.outputText.contains("\u{1b}") && !result.errorText.contains("\u{1b}"))
    }

    @Test func withEventsTheSummaryGoesToStderr() async throws {
        let result = try await stock.sync("--json")
        #expect(result.problems.last?.contains("1 published") == true, "\(result)")
        #expect(result.outputLines.allSatisfy { $0.hasPrefix("{") })
    }

    @Test func quietSaysNothingButWhatFailed() async throws {
        let fine = try await stock.sync("--quiet")
        #expect(fine.output.isEmpty && fine.errors.isEmpty, "\(fine)")
        stock.serveManifest([#"{"id": "b", "kind": "ebook", "urls": ["gone.epub"]}"#], serial: 2)
        let failed = try await stock.sync("--quiet")
        #expect(failed.output.isEmpty && failed.problems.count == 1, "\(failed)")
    }

    @Test func verboseTellsEachBundle() async throws {
        let result = try await stock.sync("--verbose")
        #expect(result.errorText.contains("m/a: published, version "), "\(result)")
    }

    @Test(
        arguments: [
            (["--color", "always"], [:], true), (["--color=never"], [:], false), ([], [:], false),
            (["--color", "always"], ["NO_COLOR": "1"], true),
        ] as [([String], [String: String], Bool)])
    func colorsAreForThoseWhoWantThem(options: [String], environment: [String: String], isColored: Bool) async throws {
        let environment = ChildProcess.inheritedEnvironment.merging(environment) { $1 }
        let result = try await LarderProgram.run(stock.arguments(options), environment: environment)
        #expect(result.errorText.contains("\u{1b}[1;33mwarning:\u{1b}[0m") == isColored, "\(result)")
    }

    /// There is one way out for all that is written.
    @Test func aFileForStandardOutputThatIsFullIsToldAndKept() async throws {
        let part = stock.directory["a.bin.part"]
        let result = try await ChildProcess.run(
            "sh",
            [
                "-c", "cd \"$1\" && exec \"$0\" fetch \"$2\" -o - > /dev/full", try LarderProgram.path,
                stock.directory.path,
                stock.server.url("/a.bin"),
            ])
        #expect(
            result.status != .exited(0) && result.errorText.contains("can't write to standard output: "), "\(result)")
        #expect(try readFile(part).count == 1000)
    }

    @Test func aReaderThatLeavesDoesNotEndTheRun() async throws {
        let program = try LarderProgram.path
        let command = ([program] + stock.arguments(["--json"])).map { "'\($0)'" }.joined(separator: " ")
        let result = try await ChildProcess.run("sh", ["-c", "{ \(command); echo $? >&2; } | head -c 1 > /dev/null"])
        #expect(result.problems.last == "0", "\(result)")
        #expect(try stock.published() == ["a"])
    }
}

/// Command lines that aren't understood.
@Suite struct UsageTests {
    @Test(
        arguments: [
            (["sync", "m.json", "--libary", "x"], "--library"),
            (["sync", "m.json", "--limit-rte=5", "-l", "x"], "--limit-rate"),
            (["sync", "m.json"], "--library"), (["sync", "--library", "x"], "MANIFEST"),
            (["sync", "m.json", "-l", "x", "--jobs", "0"], "--jobs"),
            (["sync", "m.json", "-l", "x", "--min-free", "101%"], "--min-free"),
            (["sync", "m.json", "-l", "x", "--min-free", "5"], "did you mean \"5%\"?"),
            (["sync", "m.json", "-l", "x", "--max-bytes", "1Q"], "--max-bytes"),
            (["sync", "http://exa mple/", "-l", "x"], "exa mple"), (["snyc"], "sync"), ([], "command"),
            (["version"], "did you mean \"--version\"?"),
            (["fetch"], "URL"), (["fetch", "not a url"], "not a url"), (["fetch", "file:///etc/passwd"], "http"),
            (["fetch", "http://127.0.0.1:1/x", "--sha256", "12"], "--sha256"),
        ] as [([String], String)])
    func areAnsweredInOneLine(arguments: [String], names: String) async throws {
        let directory = try TemporaryDirectory()
        var environment = ChildProcess.inheritedEnvironment
        environment["LARDER_LIBRARY"] = nil
        let result = try await LarderProgram.run(arguments, environment: environment, directory: directory.path)
        #expect(result.status == .exited(64), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.hasPrefix("larder: "), "\(result)")
        #expect(result.errorText.contains(names), "\(result)")
        #expect(result.output.isEmpty)
        #expect(try directoryEntries(FilePathBytes(directory.path)) == [])
    }

    @Test func theLibraryMayBeNamedByTheEnvironment() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 1))])
        var environment = ChildProcess.inheritedEnvironment
        environment["LARDER_LIBRARY"] = stock.library
        let result = try await LarderProgram.run(
            ["sync", stock.manifestURL, "--min-free", "0"], environment: environment)
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.published() == ["a"])
    }

    @Test(arguments: ["sync", "refresh"])
    func exitCodesAreExplainedForTheCommandAtHand(command: String) async throws {
        let help = try await LarderProgram.run(["help", command]).outputLines
        let codes = help.drop { $0 != "Exit codes:" }.joined(separator: "\n")
        for others in ["archive", "unpack", "validate", "verify", "fetch failed"] {
            #expect(!codes.contains(others), "\(others)")
        }
        #expect(codes.contains("--max-age") == (command == "refresh"))
        #expect(codes.contains("window") == (command == "refresh"))
    }

    @Test func helpAndVersionGoToStdout() async throws {
        for arguments in [["--help"], ["sync", "--help"], ["fetch", "-h"], ["--version"]] {
            let result = try await LarderProgram.run(arguments)
            #expect(result.status == .exited(0) && result.errors.isEmpty && !result.output.isEmpty, "\(result)")
        }
    }
}

/// Libraries that can't be written.
@Suite struct UnwritableLibraryTests {
    @Test func beneathAFileThereIsNoRoomForOne() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 1))])
        let file = try stock.directory.write([1], to: "file")
        let result = try await LarderProgram.run(["sync", stock.manifestURL, "--library", "\(file)/library"])
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains("\(file)/library"), "\(result)")
        #expect(stock.server.log.isEmpty)
    }

    @Test func whoMayNotWriteIsTold() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 1))])
        let closed = try stock.directory.makeDirectory("closed")
        #expect(chmod(closed, 0o555) == 0 && chmod(stock.directory.path, 0o755) == 0)
        let result = try await Unprivileged.run(["sync", stock.manifestURL, "--library", "\(closed)/library"])
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains("Permission denied"), "\(result)")
        #expect(result.errorText.contains("\(closed)/library"), "\(result)")
    }
}
