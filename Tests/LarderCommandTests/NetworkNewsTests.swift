import Downloads
import Platform
import TestSupport
import Testing

@testable import LarderCommand

/// What a run makes of a machine that wakes or changes its network.
@Suite struct NetworkNewsTests {
    private let told = EventRecorder<String>()

    /// - Parameter rest: ends when the test says so.
    private func news(_ rest: AsyncStream<Void>) -> NetworkNews {
        let (told, rests) = (told, Locked(rest.makeAsyncIterator()))
        return NetworkNews(
            rest: {
                told.record("rests")
                var next = rests.withLock { $0 }
                _ = await next.next()
            }, setNetwork: { told.record($0 ? "network" : "no network") },
            reconnect: { told.record("reconnect: \($0.rawValue)") })
    }

    @Test func aWakeAndTheRoutesThatFollowRebuildOnce() async throws {
        let (rest, moments) = AsyncStream.makeStream(of: Void.self)
        let news = news(rest)
        news.hear(reason: .resumedFromSleep)
        _ = try await told.first("a moment's rest") { $0 == "rests" }
        news.hear(isUsable: false)
        news.hear(isUsable: true, reason: .routeChanged)
        moments.yield()
        _ = try await told.first("a rebuild") { $0.hasPrefix("reconnect") }
        #expect(told.events == ["rests", "network", "reconnect: resumed from sleep"])
    }

    @Test func whatComesLaterRebuildsAgain() async throws {
        let (rest, moments) = AsyncStream.makeStream(of: Void.self)
        let news = news(rest)
        moments.yield()
        news.hear(isUsable: true)
        _ = try await told.first("the first look") { $0 == "network" }
        news.hear(reason: .resumedFromSleep)
        _ = try await told.first("a rebuild") { $0 == "reconnect: resumed from sleep" }
        news.hear(isUsable: true, reason: .routeChanged)
        _ = try await told.first("another one") { $0 == "reconnect: route changed" }
        #expect(
            told.events == [
                "network", "rests", "reconnect: resumed from sleep", "network", "reconnect: route changed",
            ])
    }

    @Test func aNetworkThatIsLostRebuildsNothing() async throws {
        let (rest, _) = AsyncStream.makeStream(of: Void.self)
        let news = news(rest)
        news.hear(isUsable: false)
        _ = try await told.first("the loss") { $0 == "no network" }
        #expect(told.events == ["no network"])
    }
}
