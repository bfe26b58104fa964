import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// A split download where the way is not as it seems: links that answer once, replies that begin late, connections that crawl, mirrors that have
/// something else. It never fares worse than one connection would.
@Suite struct SplitLinkTests {
    private let bench: Workbench
    private let lengthBytes = Workbench.splitBytes

    init() throws { bench = try Workbench(lengthBytes: lengthBytes) }

    private func time(_ body: () async throws -> Void) async rethrows -> Duration {
        let start = ContinuousClock.now
        try await body()
        return ContinuousClock.now - start
    }

    /// The refusals come long after the first request could have been stopped at a piece of its own.
    @Test func aLinkThatIsGoodForOneRequestBringsTheWhole() async throws {
        bench.serveSlowly("/b") { request, reply in
            request.number == 1 ? reply : .errorPage(403).headDripped(every: .milliseconds(300))
        }
        let caller = try await bench.splitDownloader().answer(to: bench.request("/b"))
        try await bench.expectContent(caller)
        let exchanges = bench.server.exchanges("/b")
        #expect(exchanges[0].end == .complete && exchanges[0].bodyBytesSent == lengthBytes)
        #expect(exchanges.count > 1, "others were tried")
        #expect(exchanges.count <= 8, "each of them once")
        #expect(caller.retries.isEmpty)
    }

    /// Each range begins to come only after half the time that the whole takes over one connection.
    @Test(arguments: [2_000_000 as UInt64, 10_000]) func repliesThatBeginLateCostLittle(furtherPace: UInt64)
        async throws
    {
        bench.serveSlowly("/b") { request, reply in
            request.number == 1
                ? reply : reply.paced(bytesPerSecond: furtherPace).headDripped(every: .milliseconds(200))
        }
        let elapsed = try await time {
            try await bench.expectContent(
                try await bench.splitDownloader { $0.split.trialTime = .seconds(2) }.answer(to: bench.request("/b")))
        }
        #expect(elapsed < .seconds(4.5), "one connection takes three seconds")
        #expect(bench.server.exchanges("/b").count > 1)
    }

    /// One connection crawls, or falls silent: others take its work over, and nobody waits for it.
    @Test(arguments: [nil, 50_000 as UInt64]) func aConnectionThatCrawlsIsNotWaitedFor(stallsAfter: UInt64?)
        async throws
    {
        bench.serveSlowly("/b") { request, reply in
            guard request.number == 3 else { return reply }
            return stallsAfter.map { reply.stalled(afterBytes: $0) } ?? reply.paced(bytesPerSecond: 20_000)
        }
        let elapsed = try await time {
            let caller = try await bench.splitDownloader { $0.split.reviewTime = .milliseconds(200) }.answer(
                to: bench.request("/b"))
            try await bench.expectContent(caller)
            #expect(caller.retries.isEmpty)
        }
        #expect(elapsed < .seconds(6), "at its pace 200 kB alone take ten seconds")
    }

    /// What a mirror's head says is enough: not a byte of another version is written, and it is asked no more.
    @Test(arguments: [false, true]) func mirrorsOfOtherVersionsAreDroppedAtTheirHeads(hasDigest: Bool) async throws {
        bench.serveSlowly()
        let other = Content.pattern(lengthBytes: lengthBytes, seed: 5)
        let longer = Content.pattern(lengthBytes: lengthBytes + 1, seed: 5)
        bench.server.serve("/b", Resource(other, etag: "\"v2\""))
        bench.server.serve("/c", Resource(longer))
        bench.server.serve("/d", Resource(other, etag: nil, lastModified: "Fri, 02 Jan 2026 00:00:00 GMT"))
        let request = try bench.request("/a", mirrors: ["/b", "/c", "/d"]) {
            if hasDigest { $0.digest = bench.digest }
        }
        let downloader = try bench.splitDownloader()
        let caller = try await downloader.answer(to: request)
        try await bench.expectContent(caller)
        #expect(caller.retries.isEmpty)
        for path in ["/b", "/c", "/d"] {
            #expect(bench.server.exchanges(path).count <= 1, "\(path) is asked once")
        }
        #expect(downloader.statistics.fetchedBytes < Int64(lengthBytes) + 1_000_000)
    }

    /// A mirror that is away is not forgiven for what others bring, and one that is there is.
    @Test func whatAMirrorBringsCountsForThatMirror() throws {
        var state = DownloaderState<Int>(configuration: DownloaderConfiguration())
        let (first, mirror) = (try TransferURL("http://a.example/1"), try TransferURL("http://b.example/1"))
        for url in [first, mirror] { state.reputation.note(AttemptFailure(.unreachable("away")), at: url) }
        let (_, actions) = state.request(DownloadRequest(first, mirrors: [mirror]))
        let plan = try #require(actions.lazy.compactMap { if case .start(let plan) = $0 { plan } else { nil } }.first)
        let progress = DownloadProgress(receivedBytes: 9, totalBytes: 99, resumedFromBytes: 0, bytesPerSecond: 9)
        _ = state.attemptProgressed(plan.attempt, of: plan.download, progress, from: mirror)
        #expect(state.reputation.isDoubtful(first))
        #expect(!state.reputation.isDoubtful(mirror))
    }
}
