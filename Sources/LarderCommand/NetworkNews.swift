import Downloads
import Platform

/// Passes on what happens to the machine's ways out, one after the other and on no thread of whoever tells it. A machine that wakes changes its routes
/// in the next moments: connections are built anew once, when that has come to rest.
final class NetworkNews: Sendable {
    private struct News {
        var isUsable: Bool?
        /// Why connections are to be built anew: the first of several reasons.
        var reason: RebuildReason?
    }

    private let news = Locked(News())
    private let causes: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - rest: returns once nothing more is expected to follow upon a wake.
    ///   - setNetwork: told whether there is a way out.
    ///   - reconnect: builds connections anew.
    init(
        rest: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(2)) },
        setNetwork: @escaping @Sendable (Bool) -> Void, reconnect: @escaping @Sendable (RebuildReason) async -> Void
    ) {
        let (stream, causes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.causes = causes
        Task { [news] in
            for await _ in stream {
                if let isUsable = news.withLock({ $0.isUsable.take() }) { setNetwork(isUsable) }
                if news.withLock({ $0.reason }) == .resumedFromSleep { await rest() }
                let (isUsable, reason) = news.withLock { ($0.isUsable.take(), $0.reason.take()) }
                if let isUsable { setNetwork(isUsable) }
                if let reason { await reconnect(reason) }
            }
        }
    }

    deinit { causes.finish() }

    /// - Parameters:
    ///   - isUsable: whether there is a way out, where that is known anew.
    ///   - reason: why connections are to be built anew, where they are.
    func hear(isUsable: Bool? = nil, reason: RebuildReason? = nil) {
        news.withLock { news in
            news.isUsable = isUsable ?? news.isUsable
            news.reason = news.reason ?? reason
        }
        causes.yield()
    }
}
