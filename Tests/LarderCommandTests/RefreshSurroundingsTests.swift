import FaultServer
import Glibc
import TestSupport
import Testing

/// `larder refresh` among what it meets where nobody looks: closed streams, devices, commands that hang, an index that can't be used.
@Suite struct RefreshSurroundingsTests {
    private let stock: Stock
    private let content = Content.pattern(lengthBytes: 200_000, seed: 1)
    private let other = Content.pattern(lengthBytes: 200_000, seed: 2)

    init() throws {
        stock = try Stock()
        stock.serveManifest([stock.file("a", content)])
    }

    // MARK: Streams and files

    @Test func whatIsWrittenToAClosedStreamGetsIntoNothingElse() async throws {
        let streams = stock.directory["streams"]
        let look = "for stream in 0 1 2; do readlink /proc/$$/fd/$stream; done > '\(streams)'"
        let program = try LarderProgram.path
        let result = try await ChildProcess.run(
            "sh", ["-c", #"exec "$@" 0<&- 1>&- 2>&-"#, "sh", program] + stock.refreshArguments(["--on-change", look]))
        #expect(result.status == .exited(0), "\(result)")
        let found = String(decoding: try readFile(streams), as: UTF8.self).split(separator: "\n")
        #expect(found == ["/dev/null", "\(streams)", "/dev/null"], "\(found)")
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func metricsTakeThePlaceOfFilesOnly() async throws {
        let pipe = stock.directory["larder.prom"]
        try #require(mkfifo(pipe, 0o600) == 0)
        let result = try await stock.refresh("--metrics", pipe)
        #expect(result.status == .exited(64) && result.errorText.contains(pipe), "\(result)")
        #expect(try stock.published().isEmpty, "it is told before the run")
        var status = stat()
        #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    // MARK: A command

    @Test func aCommandThatHangsEndsWithTheRun() async throws {
        let (started, ended) = (stock.directory["started"], stock.directory["ended"])
        let hook = "trap 'echo ended > \(ended)' TERM; echo > \(started); while true; do sleep 0.1; done"
        let run = try LarderProgram.start(stock.refreshArguments(["--on-change", "echo here >&2; " + hook]))
        try await run.wait(for: "the command") { $0.errors.isEmpty ? nil : () }
        while access(started, F_OK) != 0 { await Task.yield() }
        run.kill(SIGTERM)
        let result = try await run.waitForExit(within: .seconds(10))
        #expect(result.status == .exited(143), "\(result)")
        #expect(access(ended, F_OK) == 0)
        #expect(result.errorText.contains("the next run tries again"), "\(result)")
    }

    // MARK: A dead man's switch

    @Test func aSwitchGetsNoHeaderThatIsForTheContent() async throws {
        stock.server.serve("/ping", always: .status(200))
        let config = try stock.directory.write(
            #"{"headers": {"Authorization": "Bearer s3cr3t"}}"#.utf8, to: "settings.json")
        #expect(
            try await stock.refresh("--config", config, "--ping", stock.server.url("/ping")).status == .exited(0))
        #expect(stock.server.exchanges("/a.bin").last?.request["Authorization"] == "Bearer s3cr3t")
        let ping = try #require(stock.server.exchanges("/ping").last)
        #expect(ping.request["Authorization"] == nil)
    }

    @Test func aSwitchThatCanNotBeAskedForIsWrongUsage() async throws {
        for url in ["file:///etc/hostname", "ftp://127.0.0.1/ping"] {
            let result = try await stock.refresh("--ping", url)
            #expect(result.status == .exited(64) && result.problems.count == 1, "\(result)")
        }
        #expect(stock.server.log.isEmpty)
    }

    // MARK: Being run

    @Test func whatCanNotBeRunAgainIsNotPrinted() async throws {
        let broken = try await stock.refresh("--print-cron", "--on-change", "echo 1\necho 2")
        let input = try await stock.refresh("--print-systemd", manifests: ["-"])
        for result in [broken, input] {
            #expect(result.status == .exited(64) && result.output.isEmpty && result.problems.count == 1, "\(result)")
        }
    }

    @Test func aProgramWithAnOddPathIsStartedBySystemdToo() async throws {
        let program = stock.directory["it's 100%.larder"]
        _ = try await ChildProcess.run("cp", [try LarderProgram.path, program])
        let printed = try await ChildProcess.run(program, stock.refreshArguments(["--print-systemd"]))
        #expect(printed.status == .exited(0), "\(printed)")
        let service = printed.outputText.split(separator: "# /etc/systemd/system/")[0].drop { $0 != "\n" }
        let unit = try stock.directory.write(String(service).utf8, to: "larder-refresh.service")
        let verdict = try await ChildProcess.run("systemd-analyze", ["verify", "--man=no", unit])
        #expect(verdict.status == .exited(0) && verdict.errors.isEmpty, "\(verdict) of \(printed.outputText)")
    }

    // MARK: Bytes

    /// What becomes of the index before a run that may spend no more than was fetched already.
    enum Loss: CaseIterable {
        case ofWhichAnUncappedRunKnowsNothing, forAnUnreadableJournal
    }

    @Test(arguments: Loss.allCases)
    func aMonthsBytesAreSpentWhateverBecomesOfTheIndex(_ loss: Loss) async throws {
        #expect(try await stock.refresh().status == .exited(0))
        let index = "\(stock.library)/.larder/state.db"
        if loss == .ofWhichAnUncappedRunKnowsNothing {
            try #require(unlink(index) == 0)
            #expect(try await stock.refresh().status == .exited(0))
        } else {
            // SQLite takes it for what is left of a transaction, and can't read it.
            unlink(index + "-journal")
            try #require(mkdir(index + "-journal", 0o700) == 0)
        }
        stock.serveManifest([stock.file("a", other)], serial: 2)
        let capped = try await stock.refresh("--month-cap", "150K")
        #expect(capped.status == .exited(3), "\(capped)")
        #expect(capped.problems.isEmpty, "\(capped)")
        #expect(stock.server.exchanges("/a.bin").count == 1)
    }
}
