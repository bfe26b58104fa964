import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// Another configuration in the middle of a run.
@Suite struct ReconfigurationTests {
    private let bench: Workbench
    private let rebuilds = EventRecorder<DownloaderEvent>()

    init() throws { bench = try Workbench() }

    private func configuration(_ change: (inout DownloaderConfiguration) -> Void = { _ in }) -> DownloaderConfiguration
    {
        var configuration = DownloaderConfiguration()
        configuration.retry.baseDelay = .milliseconds(1)
        change(&configuration)
        return configuration
    }

    private func downloader(_ change: (inout DownloaderConfiguration) -> Void = { _ in }) throws -> Downloader {
        Downloader(
            configuration: configuration(change), store: try ResumeStore(path: bench.folder["partial"]),
            events: rebuilds.record)
    }

    /// A path of its own with the bench's content, whose first reply stalls.
    private func serveStalling(_ path: String, atBytes offset: UInt64 = 1_000_000) {
        bench.server.serve(path, Resource(bench.content))
        bench.server.script(path, [.altered { $0.stalled(afterBytes: offset) }])
    }

    @Test func aTransferGoesOnInANewSessionAtItsByte() async throws {
        serveStalling("/b")
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request("/b"))
        try await caller.waitForBytes(1_000_000)
        try await downloader.reconfigure(configuration { $0.session.userAgent = "another" })
        #expect(contentDifference(bench.content.bytes(), try await caller.bytes()) == nil)
        #expect(bench.wire("/b") == ["200", "206 bytes=1000000-"])
        #expect(bench.server.log.map(\.request["User-Agent"]) == ["larder", "another"])
        #expect(caller.resumed == [1_000_000])
        #expect(caller.retries.isEmpty)
        #expect(caller.events.events.count { if case .started = $0 { true } else { false } } == 1)
        #expect(downloader.statistics.fetchedBytes == 3_000_000)
        #expect(downloader.statistics.resumedBytes == 0, "nobody had saved them before")
        await downloader.shutDown()
        #expect(rebuilds.events == [.sessionRebuilt(.configuration)])
    }

    @Test func bytesOfAnEarlierProcessCountAsSavedOnce() async throws {
        try await bench.pause()
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 500_000) }])
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await caller.waitForBytes(1_500_000)
        try await downloader.reconfigure(configuration { $0.session.idleTimeout = .seconds(20) })
        _ = try await caller.bytes()
        #expect(caller.resumed == [1_000_000, 1_500_000])
        #expect(downloader.statistics.resumedBytes == 1_000_000)
    }

    @Test func whatCanChangeLiveLeavesTheTransferAlone() async throws {
        serveStalling("/b")
        serveStalling("/c")
        let downloader = try downloader { $0.maximumTransfers = 1 }
        let (token, first) = downloader.ask(try bench.request("/b"))
        let (_, second) = downloader.ask(try bench.request("/c"))
        try await first.waitForBytes(1_000_000)
        #expect(bench.server.exchanges("/c").isEmpty)
        try await downloader.reconfigure(
            configuration {
                $0.maximumTransfers = 2
                $0.retry.retries = 1
                $0.session.rateLimitBytesPerSecond = 90_000_000
            })
        try await second.waitForBytes(1_000_000)
        #expect(bench.wire("/b") == ["200"], "it runs on")
        downloader.cancel(token)
        await downloader.shutDown()
        #expect(rebuilds.events.isEmpty)
    }

    @Test func aLowerRateHoldsAtOnce() async throws {
        let downloader = try downloader { $0.session.rateLimitBytesPerSecond = 1_000_000 }
        let (_, caller) = downloader.ask(try bench.request())
        try await caller.waitForBytes(100_000)
        try await downloader.reconfigure(configuration { $0.session.rateLimitBytesPerSecond = nil })
        _ = try await caller.bytes()
        #expect(bench.wire() == ["200"])
        #expect(rebuilds.events.isEmpty)
    }

    @Test func thoseThatRanGoOnBeforeThoseThatWait() async throws {
        serveStalling("/b")
        let downloader = try downloader { $0.maximumTransfers = 1 }
        let (_, running) = downloader.ask(try bench.request("/b"))
        try await running.waitForBytes(1_000_000)
        let (_, waiting) = downloader.ask(try bench.request { $0.priority = 9 })
        try await downloader.reconfigure(
            configuration {
                $0.maximumTransfers = 1
                $0.session.headers = ["X-Network": "metered"]
            })
        _ = try await waiting.bytes()
        _ = try await running.bytes()
        #expect(bench.server.log.map(\.request.path) == ["/b", "/b", "/a"])
    }

    @Test func theLastOfManyChangesCounts() async throws {
        serveStalling("/b")
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request("/b"))
        try await caller.waitForBytes(1_000_000)
        try await withThrowingTaskGroup { group in
            for number in 0..<10 {
                group.addTask {
                    try await downloader.reconfigure(configuration { $0.session.userAgent = "agent \(number)" })
                }
            }
            try await group.waitForAll()
        }
        try await downloader.reconfigure(configuration { $0.session.userAgent = "the last" })
        #expect(contentDifference(bench.content.bytes(), try await caller.bytes()) == nil)
        let last = try await downloader.data(for: bench.request(), budgetBytes: 3_000_000)
        #expect(last.count == 3_000_000)
        #expect(bench.server.log.last?.request["User-Agent"] == "the last")
        #expect(downloader.statistics.fetchedBytes == 6_000_000, "never a byte twice")
        #expect(rebuilds.events.count <= 11)
    }

    @Test func aDownloadThatRestsKeepsItsPatience() async throws {
        bench.server.script("/a", [.reply(.retryLater(after: "1"))])
        let downloader = try downloader { $0.retry.retries = 1 }
        let (_, caller) = downloader.ask(try bench.request())
        _ = try await caller.events.first("a delay") { if case .retrying = $0 { true } else { false } }
        try await downloader.reconfigure(
            configuration {
                $0.retry.retries = 1
                $0.session.userAgent = "another"
            })
        _ = try await caller.bytes()
        #expect(bench.server.log.map(\.request["User-Agent"]) == ["larder", "another"])
        #expect(caller.retries.count == 1)
    }

    /// The session may go while the partial file is being opened, when the request is on its way, or before either.
    @Test func aTransferThatIsOnlyBeginningIsNotLost() async throws {
        let downloader = try downloader()
        for number in 0..<30 {
            let (_, caller) = downloader.ask(try bench.request { $0.headers = ["X-Number": "\(number)"] })
            try await downloader.reconfigure(configuration { $0.session.userAgent = "agent \(number)" })
            #expect(contentDifference(bench.content.bytes(), try await caller.bytes()) == nil)
            #expect(caller.retries.isEmpty)
        }
        #expect(downloader.statistics.fetchedBytes == 30 * 3_000_000)
    }

    @Test func aPausedDownloadGoesOnInTheNewSessionWhenItIsAskedForAgain() async throws {
        serveStalling("/b")
        let downloader = try downloader()
        let (token, first) = downloader.ask(try bench.request("/b"))
        try await first.waitForBytes(1_000_000)
        downloader.cancel(token)
        async let change: Void = downloader.reconfigure(configuration { $0.session.userAgent = "another" })
        let (_, second) = downloader.ask(try bench.request("/b"))
        _ = try await second.bytes()
        try await change
        #expect(try await first.answer().code == .cancelled)
        #expect(bench.wire("/b").prefix(2) == ["200", "206 bytes=1000000-"])
        #expect(downloader.statistics.fetchedBytes == 3_000_000)
        #expect(downloader.statistics.resumedBytes == 1_000_000, "the first caller had saved them")
    }

    @Test func aShutdownOvertakesAChange() async throws {
        bench.server.serve("/b", Resource(bench.content).altered { _, reply in reply.stalled(afterBytes: 10_000) })
        for _ in 0..<20 {
            let downloader = try downloader()
            let (_, caller) = downloader.ask(try bench.request("/b"))
            _ = try await caller.events.events(atLeast: 1)
            async let change: Void = downloader.reconfigure(configuration { $0.session.userAgent = "another" })
            await downloader.shutDown()
            try await change
            #expect(try await caller.answer().code == .cancelled)
            try await downloader.reconfigure(configuration { $0.session.userAgent = "too late" })
            #expect(try await downloader.answer(to: bench.request()).answer().code == .cancelled)
        }
        try await bench.server.waitForConnections(0)
        #expect(!bench.server.log.contains { $0.request["User-Agent"] == "too late" })
    }

    @Test func aConfigurationThatCanNotWorkChangesNothing() async throws {
        serveStalling("/b")
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request("/b"))
        try await caller.waitForBytes(1_000_000)
        let error = await #expect(throws: ConfigurationError.self) {
            try await downloader.reconfigure(
                configuration {
                    $0.maximumTransfers = 1
                    $0.session.userAgent = "another"
                    $0.session.proxy = "gopher://proxy.example"
                })
        }
        #expect(error?.setting == .proxy)
        await downloader.shutDown()
        #expect(bench.wire("/b") == ["200"])
        #expect(rebuilds.events.isEmpty)
    }

    @Test func anAssetWithoutAValidatorBeginsAnew() async throws {
        bench.server.serve("/b", Resource(bench.content, etag: nil, lastModified: nil))
        bench.server.script("/b", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request("/b"))
        try await caller.waitForBytes(1_000_000)
        try await downloader.reconfigure(configuration { $0.session.userAgent = "another" })
        #expect(contentDifference(bench.content.bytes(), try await caller.bytes()) == nil)
        #expect(bench.wire("/b") == ["200", "200"])
        #expect(caller.retries.isEmpty)
    }

    @Test func hostsThatCouldNotBeReachedAreForgiven() throws {
        var reputation = SourceReputation()
        let urls = try ["a", "b"].map { try TransferURL("http://\($0).example/") }
        reputation.note(AttemptFailure(.unreachable("away")), at: urls[0])
        var wrong = AttemptFailure(.digestMismatch, "other bytes", .nextSource)
        wrong.fault = .wrongBytes
        reputation.note(wrong, at: urls[1])
        reputation.forgiveConnections()
        #expect(urls.map(reputation.isDoubtful) == [false, true])
    }

    @Test(
        arguments: [
            (\.maximumTransfers, 0, .maximumTransfers), (\.maximumTransfersPerHost, -1, .maximumTransfersPerHost),
            (\.retry.retries, -1, .retry),
        ] as [(WritableKeyPath<DownloaderConfiguration, Int> & Sendable, Int, ConfigurationError.Setting)])
    func numbersThatNothingCanKeepToAreRefused(
        _ path: WritableKeyPath<DownloaderConfiguration, Int> & Sendable, _ value: Int,
        _ setting: ConfigurationError.Setting
    ) {
        let error = #expect(throws: ConfigurationError.self) {
            try configuration { $0[keyPath: path] = value }.validate()
        }
        #expect(error?.setting == setting)
    }
}
