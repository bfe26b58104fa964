import FaultServer
import Glibc
import TestSupport
import Testing

/// Whom `larder refresh` tells what.
@Suite struct RefreshTellingTests {
    private let stock: Stock
    private let content = Content.pattern(lengthBytes: 1000, seed: 1)
    private let other = Content.pattern(lengthBytes: 2000, seed: 2)

    init() throws { stock = try Stock() }

    // MARK: A command

    /// A command that adds a line to `told` each time.
    private func hook(_ line: String, status: Int = 0) -> String {
        "echo \"\(line)\" >> '\(stock.directory["told"])'; exit \(status)"
    }

    private var told: [String] {
        guard let bytes = try? stock.directory.read("told") else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func aCommandIsToldWhatChanged() async throws {
        let tell = hook("$LARDER_GENERATION +$LARDER_CHANGED -$LARDER_REMOVED $LARDER_LIBRARY")
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        #expect(try await stock.refresh("--on-change", tell).status == .exited(0))
        #expect(try await stock.refresh("--on-change", tell).status == .exited(0))
        #expect(told == ["1 +m/a m/b - \(stock.library)"], "and nothing where nothing changed")
        stock.serveManifest([stock.file("a", other), stock.file("c", content)], serial: 2)
        #expect(try await stock.refresh("--on-change", tell).status == .exited(0))
        #expect(told.last == "2 +m/a m/c -m/b \(stock.library)")
    }

    @Test func theCommandGetsTheEnvironmentByteForByte() async throws {
        stock.serveManifest([stock.file("a", content)])
        let arguments = stock.refreshArguments(["--on-change", hook("$X")])
        let script = #"X=$(printf 'a\377\376') exec "$@""#
        let result = try await ChildProcess.run("sh", ["-c", script, "sh", try LarderProgram.path] + arguments)
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.directory.read("told") == [0x61, 0xFF, 0xFE, 0x0A])
    }

    /// Not everything that is called so is a shell.
    @Test func whyTheCommandCanNotBeStartedIsTold() async throws {
        stock.serveManifest([stock.file("a", content)])
        var environment = ChildProcess.inheritedEnvironment
        environment["PATH"] = stock.directory["nowhere"]
        let result = try await LarderProgram.run(
            stock.refreshArguments(["--on-change", "true"]), environment: environment)
        #expect(result.status == .exited(1) && result.problems.count == 1, "\(result)")
        #expect(result.errorText.contains("can't start sh: No such file or directory"), "\(result)")
    }

    @Test func aCommandThatFailsIsRunAgainByTheNextRun() async throws {
        stock.serveManifest([stock.file("a", content)])
        let failed = try await stock.refresh("--on-change", hook("first", status: 3))
        #expect(failed.status == .exited(1) && failed.problems.count == 1, "\(failed)")
        #expect(failed.errorText.hasPrefix("error: ") && failed.errorText.contains("status 3"), "\(failed)")
        #expect(try stock.difference("a", content) == nil)
        let again = try await stock.refresh("--on-change", hook("$LARDER_CHANGED"))
        #expect(again.status == .exited(0) && again.errors.isEmpty, "\(again)")
        #expect(told == ["first", "m/a"])
    }

    @Test func aGenerationOfSyncIsToldByTheNextRefresh() async throws {
        stock.serveManifest([stock.file("a", content)])
        #expect(try await stock.refresh("--on-change", hook("first")).status == .exited(0))
        stock.serveManifest([stock.file("a", other)], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await stock.refresh("--on-change", hook("$LARDER_GENERATION")).status == .exited(0))
        #expect(told == ["first", "2"])
    }

    @Test func aCommandInheritsNoDescriptorAndItsOutputIsNotOurs() async throws {
        stock.serveManifest([stock.file("a", content)])
        // `ls` itself opens the folder that it lists.
        let result = try await stock.refresh("--json", "--on-change", "ls -l /proc/self/fd")
        #expect(result.status == .exited(0), "\(result)")
        let descriptors = result.problems.filter { $0.contains(" -> ") }
        #expect(descriptors.count == 4 && descriptors.last?.contains("/proc/") == true, "\(result)")
        #expect(!result.errorText.contains(".larder/lock"), "\(result)")
        #expect(result.events.count == result.outputLines.count, "\(result)")
    }

    @Test func whatACommandLeavesRunningKeepsNoLock() async throws {
        stock.serveManifest([stock.file("a", content)])
        let command = "sleep 300 >/dev/null 2>&1 & echo $! > '\(stock.directory["left"])'"
        #expect(try await stock.refresh("--on-change", command).status == .exited(0))
        let text = String(decoding: try stock.directory.read("left"), as: UTF8.self).filter(\.isNumber)
        let process = try #require(pid_t(text))
        defer { kill(process, SIGKILL) }
        #expect(kill(process, 0) == 0, "it is there")
        let next = try await stock.refresh()
        #expect(next.status == .exited(0), "\(next)")
    }

    // MARK: A dead man's switch

    private var pings: [String] {
        stock.server.log.map(\.request.path).filter { $0.hasPrefix("/ping") }
    }

    @Test func aSwitchHearsOfSuccessAndOfFailure() async throws {
        for path in ["/ping/secret", "/ping/secret/fail"] { stock.server.serve(path, always: .status(200)) }
        stock.serveManifest([stock.file("a", content)])
        let url = stock.server.url("/ping/secret?x=1")
        #expect(try await stock.refresh("--ping", url).status == .exited(0))
        #expect(pings == ["/ping/secret"])
        #expect(try await stock.refresh("--ping", url, manifests: [stock.directory["none"]]).status == .exited(66))
        #expect(pings == ["/ping/secret", "/ping/secret/fail"])
        // Held back is neither.
        stock.serveManifest([stock.file("b", content)], serial: 2)
        #expect(try await stock.refresh("--ping", url, "--month-cap", "1").status == .exited(3))
        #expect(pings.count == 2)
    }

    @Test func aSwitchThatDoesNotAnswerIsToldWithoutItsSecret() async throws {
        stock.serveManifest([stock.file("a", content)])
        let result = try await stock.refresh("--ping", stock.server.url("/ping/secret"))
        #expect(result.status == .exited(0) && result.problems.count == 1, "\(result)")
        #expect(result.errorText.contains("status 404") && !result.errorText.contains("secret"), "\(result)")
        #expect(result.errorText.contains("\(stock.server.url("")) could not be told"), "with its port: \(result)")
        #expect(pings.count == 3, "it is tried again")
    }

    @Test func aRunThatLeavesTheLibraryAloneIsNoSuccess() async throws {
        stock.server.serve("/ping", always: .status(200))
        let gate = try Gate()
        stock.serveManifest([stock.file("a", content) { $0.altered { $1.headHeld(until: gate) } }])
        let holder = try LarderProgram.start(stock.refreshArguments())
        try await stock.server.waitForRequest("/a.bin")
        let skipped = try await stock.refresh("--lock", "skip", "--ping", stock.server.url("/ping"))
        #expect(skipped.status == .exited(0), "\(skipped)")
        #expect(pings.isEmpty)
        gate.open()
        #expect(try await holder.waitForExit().status == .exited(0))
    }
}
