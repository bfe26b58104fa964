import FaultServer
import Platform
import TestSupport
import Testing

@testable import Downloads
@testable import Transfer

/// Connections built anew, and a machine without a network.
@Suite struct NetworkTests {
    private let bench: Workbench
    private let announced = EventRecorder<DownloaderEvent>()
    /// Linux can't connect to a multicast address, whatever its routes.
    private static let nowhere = "http://224.0.0.1/a"

    init() throws { bench = try Workbench() }

    private func configuration(retries: Int = 0, proxy: String? = nil) -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.retry.retries = retries
        configuration.retry.baseDelay = .milliseconds(1)
        configuration.session.proxy = proxy
        return configuration
    }

    private func downloader(retries: Int = 0, proxy: String? = nil) throws -> Downloader {
        Downloader(
            configuration: configuration(retries: retries, proxy: proxy),
            store: try ResumeStore(path: bench.folder["partial"]), events: announced.record)
    }

    @Test(arguments: [RebuildReason.resumedFromSleep, .routeChanged])
    func newConnectionsGoOnAtTheByteThatWasReached(_ reason: RebuildReason) async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await caller.waitForBytes(1_000_000)
        await downloader.reconnect(because: reason)
        #expect(contentDifference(bench.content.bytes(), try await caller.bytes()) == nil)
        #expect(bench.wire() == ["200", "206 bytes=1000000-"])
        #expect(caller.retries.isEmpty)
        #expect(downloader.statistics.fetchedBytes == 3_000_000)
        await downloader.shutDown()
        await downloader.reconnect(because: reason)
        #expect(announced.events == [.sessionRebuilt(reason)])
    }

    @Test func withoutANetworkLoopbackIsReachedAsEver() async throws {
        let downloader = try downloader(retries: 1)
        downloader.setNetwork(isUsable: false)
        bench.server.script("/a", [.altered { $0.cut(afterBytes: 1_000_000) }])
        #expect(try await downloader.answer(to: bench.request()).bytes().count == 3_000_000)
        bench.server.script("/a", [.reply(.errorPage(503)), .reply(.errorPage(503))])
        let refused = try await downloader.answer(to: bench.request { $0.headers = ["X-Other": "1"] })
        #expect(try await refused.answer().code == .unacceptableStatus(503))
        let port = try LoopbackListener().port
        let away = try await downloader.answer(to: bench.request("http://127.0.0.1:\(port)/"))
        #expect(try await away.answer().code == .transportFailure)
        await downloader.shutDown()
        #expect(announced.events.isEmpty)
    }

    @Test func aDownloadWithoutAWayWaitsAndGoesOnWhenThereIsOne() async throws {
        let downloader = try downloader(proxy: "http://224.0.0.1:1")
        downloader.setNetwork(isUsable: false)
        let (_, caller) = downloader.ask(try bench.request())
        let (_, other) = downloader.ask(try bench.request { $0.headers = ["X-Other": "1"] })
        _ = try await announced.first("a wait") { $0 == .waitingForNetwork }
        try await downloader.reconfigure(configuration(proxy: ""), because: .schedule)
        #expect(try await caller.bytes().count == 3_000_000)
        #expect(try await other.bytes().count == 3_000_000)
        #expect(caller.retries.isEmpty && other.retries.isEmpty)
        await downloader.shutDown()
        #expect(announced.events.filter { $0 != .waitingForNetwork } == [.sessionRebuilt(.schedule)])
    }

    @Test func aNetworkThatIsThereIsNoReasonToWait() async throws {
        let downloader = try downloader()
        let caller = try await downloader.answer(to: bench.request(Self.nowhere))
        #expect(try await caller.answer().code == .transportFailure)
    }

    @Test func anotherSourceIsAskedBeforeAnybodyWaits() async throws {
        let downloader = try downloader()
        downloader.setNetwork(isUsable: false)
        let request = try bench.request(Self.nowhere, mirrors: ["http://no-such-host.invalid/a", "/a"])
        #expect(try await downloader.answer(to: request).bytes().count == 3_000_000)
        await downloader.shutDown()
        #expect(announced.events.isEmpty)
    }

    @Test func whoeverDoesNotWaitForANetworkIsToldAtOnce() async throws {
        let downloader = try downloader()
        downloader.setNetwork(isUsable: false)
        let caller = try await downloader.answer(
            to: bench.request(Self.nowhere) {
                $0.retries = 0
                $0.failsWithoutNetwork = true
            })
        #expect(try await caller.answer().code == .transportFailure)
        await downloader.shutDown()
        #expect(announced.events.isEmpty)
    }

    @Test func whoWaitsCanLeave() async throws {
        let downloader = try downloader()
        downloader.setNetwork(isUsable: false)
        let (token, caller) = downloader.ask(try bench.request(Self.nowhere))
        _ = try await announced.first("a wait") { $0 == .waitingForNetwork }
        downloader.cancel(token)
        #expect(try await caller.answer().code == .cancelled)
    }

    // MARK: As values

    private static let away = AttemptFailure(.noRoute("no network"))
    private static let busy = AttemptFailure(.unacceptableStatus(503), "busy", .retry)

    @Test func patienceIsKeptForWhomeverIsReachable() throws {
        var rotation = SourceRotation(try (0..<2).map { try TransferURL("http://host\($0).example/") })
        var generator = SplitMix64(seed: 1)
        var policy = RetryPolicy()
        policy.retries = 2
        let next = { (failure: AttemptFailure, isBound: Bool) in
            rotation.next(after: failure, isBound: isBound, policy: policy, isOffline: true, using: &generator)
        }
        for _ in 0..<10 {
            #expect(next(Self.away, false) == .tryAgain(after: .zero))
            #expect(next(Self.away, false) == .waitForNetwork)
        }
        #expect(next(Self.away, true) == .waitForNetwork, "nobody else can go on with these bytes")
        var answers: [SourceRotation.Next] = []
        for _ in 0..<3 {
            answers.append(next(Self.away, false))
            answers.append(next(Self.busy, false))
        }
        #expect(!answers.contains(.waitForNetwork), "one of them is reachable, and busy")
        #expect(answers.last == .giveUp)
    }

    @Test func aWaitLooksAgainByItselfAndIsToldOnce() throws {
        var state = DownloaderState<Int>(configuration: configuration())
        _ = state.setNetwork(isUsable: false)
        func tries(_ actions: [DownloaderState<Int>.Action]) -> [AttemptPlan] {
            actions.compactMap { if case .start(let plan) = $0 { plan } else { nil } }
        }
        var (_, actions) = state.request(try bench.request(Self.nowhere))
        var announcements = 0
        for _ in 0..<3 {
            let plan = try #require(tries(actions).first)
            actions = state.attemptEnded(plan.attempt, of: plan.download, .failed(Self.away, heldBytes: 0))
            announcements += actions.count { if case .announce(.waitingForNetwork) = $0 { true } else { false } }
            let alarm = try #require(
                actions.lazy.compactMap { action -> (DownloadID, UInt64)? in
                    if case .setAlarm(let id, let alarm, after: .seconds(30)) = action { (id, alarm) } else { nil }
                }.first)
            actions = state.wake(alarm.0, alarm: alarm.1)
        }
        #expect(announcements == 1)
        let plan = try #require(tries(actions).first)
        _ = state.attemptEnded(plan.attempt, of: plan.download, .failed(Self.away, heldBytes: 0))
        #expect(tries(state.setNetwork(isUsable: true)).count == 1)
    }
}
