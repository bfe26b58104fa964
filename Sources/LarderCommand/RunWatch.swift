import Jobs
import Platform

/// Lets a run take notice of what happens to the machine meanwhile: it sleeps, it changes its network, the clock moves on.
final class RunWatch: Sendable {
    private let watch: MachineWatch?

    /// - Parameter tick: called every second, and when the machine wakes; must not block.
    init(_ control: RunControl, tick: @escaping @Sendable () -> Void = {}) {
        let awake = AwakeKeeper(control)
        let news = NetworkNews(
            setNetwork: { control.setNetwork(isUsable: $0) }, reconnect: { await control.reconnect(because: $0) })
        // Without it the run goes on as if nothing ever happened.
        watch = try? MachineWatch { event in
            switch event {
            case .tick:
                tick()
                awake.look()
            case .resumedFromSleep: news.hear(reason: .resumedFromSleep)
            case .routes(let routes, let isFirst):
                // While there is no way out, what is reached without one is better left alone.
                news.hear(isUsable: !routes.isEmpty, reason: isFirst || routes.isEmpty ? nil : .routeChanged)
            }
        }
    }
}
