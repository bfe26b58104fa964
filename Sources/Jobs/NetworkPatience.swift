import Platform

/// How long a run waits for a network while nothing at all goes on: a machine that is offline for days must not keep its library locked for as long.
final class NetworkPatience: Sendable {
    private let limit: Duration?
    private let control: RunControl
    private let sleep: @Sendable (Duration) async -> Bool
    private let giveUp: @Sendable () -> Void
    private let watch = Locked<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - limit: nil: for ever.
    ///   - sleep: says whether it was all of that time.
    ///   - giveUp: called before the run is stopped.
    init(
        _ limit: Duration?, _ control: RunControl,
        sleep: @escaping @Sendable (Duration) async -> Bool = { (try? await Task.sleep(for: $0)) != nil },
        giveUp: @escaping @Sendable () -> Void
    ) {
        self.limit = limit
        self.control = control
        self.sleep = sleep
        self.giveUp = giveUp
    }

    /// Something can't go on before there is a network.
    func noteWaiting() {
        guard let limit else { return }
        watch.withLock { watch in
            guard watch == nil else { return }
            watch = Task { await self.wait(limit) }
        }
    }

    func end() { watch.withLock { $0 }?.cancel() }

    private func wait(_ limit: Duration) async {
        while control.lacksNetwork {
            let before = (control.activity, control.networkChanges)
            guard await sleep(limit) else { return }
            if control.lacksNetwork, before == (control.activity, control.networkChanges) {
                giveUp()
                return control.stop(.noNetwork)
            }
        }
        // Whoever waits next says so.
        watch.withLock { $0 = nil }
    }
}
