import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// One asset over several connections: faster where that helps, and every promise of a single one kept.
@Suite struct SplitDownloadTests {
    private let bench: Workbench
    private let lengthBytes = Workbench.splitBytes

    init() throws {
        bench = try Workbench(lengthBytes: lengthBytes)
        bench.serveSlowly()
    }

    private func connectionCount(_ path: String = "/a") -> Int {
        Set(bench.server.exchanges(path).map(\.request.connection)).count
    }

    @Test func aSlowServerIsAskedForSeveralRangesAtOnce() async throws {
        let downloader = try bench.splitDownloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await bench.expectContent(caller)
        #expect(connectionCount() >= 4)
        bench.expectSplit(atLeast: 4)
        #expect(bench.server.exchanges("/a").dropFirst().allSatisfy { $0.request["If-Range"] == "\"v1\"" })
        #expect(caller.retries.isEmpty)
        #expect(caller.events.events.count { if case .started = $0 { true } else { false } } == 1)
        let received = caller.progress.map(\.receivedBytes)
        #expect(received == received.sorted() && received.last == Int64(lengthBytes))
    }

    @Test func oneConnectionIsOne() async throws {
        let downloader = try bench.splitDownloader { $0.split.maximumConnections = 1 }
        try await bench.expectContent(try await downloader.answer(to: bench.request()))
        #expect(bench.wire() == ["200"])
    }

    @Test func noMoreConnectionsThanAreAllowed() async throws {
        let downloader = try bench.splitDownloader { $0.split.maximumConnections = 3 }
        let (_, caller) = downloader.ask(try bench.request())
        try await bench.server.waitForConnections(3)
        try await bench.expectContent(caller)
        #expect(bench.server.simultaneousRequests("/a") == 3)
    }

    /// It can't be told whether ranges belong together, or the server doesn't do them.
    @Test(arguments: [false, true]) func whatHasNoValidatorOrNoRangesIsNotSplit(hasValidator: Bool) async throws {
        bench.serveSlowly("/b", { $1 }) { resource in
            resource.lastModified = nil
            if hasValidator { resource.ranges = .ignored } else { resource.etag = nil }
        }
        try await bench.expectContent(try await bench.splitDownloader().answer(to: bench.request("/b")))
        #expect(bench.wire("/b") == ["200"])
    }

    @Test(arguments: [Resource.RangeSupport.ignored, .ignoredIfConditional])
    func aServerThatSendsTheWholeToASecondRequestIsAskedNoFurther(_ support: Resource.RangeSupport) async throws {
        bench.serveSlowly("/b", { $1.header("Accept-Ranges", "bytes") }) { $0.ranges = support }
        let caller = try await bench.splitDownloader().answer(to: bench.request("/b"))
        try await bench.expectContent(caller)
        #expect(bench.server.bodyBytesSent("/b") < 2 * lengthBytes)
        #expect(caller.retries.isEmpty)
        #expect(bench.server.exchanges("/b").first?.end == .complete, "the first one brought it all")
        #expect((2...8).contains(bench.server.exchanges("/b").count), "each was asked once")
    }

    @Test func versionsAreNeverMixed() async throws {
        let other = Content.pattern(lengthBytes: lengthBytes, seed: 99)
        for support in [Resource.RangeSupport.honoured, .honouredUnconditionally] {
            let path = "/\(support)"
            bench.serveSlowly(path)
            let changed = Resource(other, etag: "\"v2\"").ranges(support).altered {
                $1.paced(bytesPerSecond: 9_000_000)
            }
            bench.server.script(path, [.own, .own, .become(changed)])
            let bytes = try await bench.splitDownloader().answer(to: bench.request(path)).bytes()
            #expect(bytes == bench.content.bytes() || bytes == other.bytes(), "one version, not a mixture")
            bench.expectSplit(path)
        }
    }

    @Test func aRangeThatIsLostIsFetchedByAnother() async throws {
        bench.serveSlowly("/b") { request, reply in
            request.number == 3 ? reply.cut(afterBytes: 100_000, .reset) : reply
        }
        let downloader = try bench.splitDownloader()
        let caller = try await downloader.answer(to: bench.request("/b"))
        try await bench.expectContent(caller)
        #expect(caller.retries.isEmpty)
        bench.expectSplit("/b")
    }

    @Test func theFirstConnectionMayBeLostAsWell() async throws {
        bench.serveSlowly("/b") { request, reply in
            request.number == 1 ? reply.cut(afterBytes: 900_000, .reset) : reply
        }
        try await bench.expectContent(try await bench.splitDownloader().answer(to: bench.request("/b")))
        #expect(bench.server.bodyBytesSent("/b") < lengthBytes + 3_000_000)
        bench.expectSplit("/b")
    }

    @Test func mirrorsShareTheWorkAndOneMayDie() async throws {
        bench.serveSlowly("/b")
        bench.serveSlowly("/c", { $1.cut(afterBytes: 150_000) })
        bench.server.serve("/d", always: .errorPage(404))
        let request = try bench.request("/a", mirrors: ["/b", "/c", "/d"]) { $0.digest = bench.digest }
        let caller = try await bench.splitDownloader().answer(to: request)
        try await bench.expectContent(caller)
        #expect(caller.retries.isEmpty)
        #expect(!bench.ranges("/b").isEmpty)
        #expect(bench.server.exchanges("/d").count <= 1, "a source without it is asked once")
    }

    @Test func aMirrorOfOtherBytesIsFoundOut() async throws {
        bench.server.serve(
            "/b",
            Resource(.pattern(lengthBytes: lengthBytes, seed: 5)).altered { $1.paced(bytesPerSecond: 2_000_000) })
        let request = try bench.request("/a", mirrors: ["/b"]) { $0.digest = bench.digest }
        let caller = try await bench.splitDownloader().answer(to: request)
        try await bench.expectContent(caller)
        #expect(bench.server.bodyBytesSent("/b") > 0, "some of it was taken")
        #expect(caller.retries.map(\.code) == [.digestMismatch])
    }

    @Test func aLowerLimitTakesConnectionsBack() async throws {
        let downloader = try bench.splitDownloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await bench.waitUntilSplit(caller, atBytes: 1_000_000)
        var configuration = DownloaderConfiguration()
        configuration.split.maximumConnections = 1
        try await downloader.reconfigure(configuration)
        try await bench.expectContent(caller)
        #expect(caller.retries.isEmpty)
        #expect(caller.resumed.isEmpty, "it runs on")
    }

    @Test func whoWaitsGoesFirst() async throws {
        bench.server.serve("/small", Resource(.text("small")))
        let downloader = try bench.splitDownloader { $0.maximumTransfers = 4 }
        let (_, caller) = downloader.ask(try bench.request())
        try await bench.server.waitForConnections(4)
        let small = try await downloader.answer(to: bench.request("/small"))
        #expect(try await small.bytes() == Array("small".utf8))
        #expect(caller.answers.events.isEmpty, "the large one still runs")
        try await bench.expectContent(caller)
    }

    /// No byte counts twice, whichever connection brings it.
    @Test func aBudgetOfTheWholeIsEnoughForAllOfThem() async throws {
        let request = try bench.request { $0.budgetBytes = Int64(lengthBytes) }
        try await bench.expectContent(try await bench.splitDownloader().answer(to: request))
        bench.expectSplit()
    }

    @Test func whoJoinsWithASmallerBudgetIsToldAndTheOthersGoOn() async throws {
        let downloader = try bench.splitDownloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await bench.waitUntilSplit(caller, atBytes: 1_000_000)
        let poor = try await downloader.answer(to: bench.request { $0.budgetBytes = Int64(lengthBytes) - 1 })
        #expect(try await poor.answer().code == .overBudget)
        #expect(caller.answers.events.isEmpty)
        try await bench.expectContent(caller)
        bench.expectSplit()
    }

    /// What each connection takes for its pieces doesn't begin the time anew.
    @Test func theDeadlineOfTheWholeIsOneForAllOfThem() async throws {
        bench.serveSlowly("/b") { $1.paced(bytesPerSecond: 500_000) }
        let downloader = try bench.splitDownloader { configuration in
            configuration.split.maximumConnections = 4
            configuration.session.transferTimeout = .seconds(2)
        }
        let caller = try await downloader.answer(to: bench.request("/b"))
        #expect(try await caller.answer().code == .timedOut)
        bench.expectSplit("/b")
    }

    /// Several threads tell what a try wants, and the last of it may be heard before what came before it.
    @Test func whatATryWantedEarlierIsDropped() throws {
        var state = DownloaderState<Int>(configuration: DownloaderConfiguration())
        let (_, actions) = state.request(DownloadRequest(try TransferURL("http://a.example/1")))
        let plan = try #require(actions.lazy.compactMap { if case .start(let plan) = $0 { plan } else { nil } }.first)
        func opened(_ count: Int, _ number: UInt64) -> Int {
            state.attemptWants(plan.attempt, of: plan.download, connections: count, number: number)
                .count { if case .open = $0 { true } else { false } }
        }
        #expect(opened(0, 2) == 0)
        #expect(opened(4, 1) == 0)
        #expect(opened(3, 3) == 3)
        #expect(opened(3, 3) == 0)
    }
}
