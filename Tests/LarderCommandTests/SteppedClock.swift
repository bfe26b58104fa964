import Jobs
import Platform
import TestSupport

/// A clock whose time passes when somebody waits for it.
final class SteppedClock: Sendable {
    private struct State {
        var uptime: Duration = .zero
        var waits: [Double] = []
        var steps: [@Sendable () -> Void] = []
        var settling: @Sendable (_ isIdle: @escaping @Sendable () -> Bool) async -> Void = { isIdle in
            try? await waitUntil("what is fetched") { isIdle() }
        }
    }

    private let state = Locked(State())
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// What happens after each wait.
    var steps: [@Sendable () -> Void] {
        get { state.withLock { $0.steps } }
        set { state.withLock { $0.steps = newValue } }
    }

    /// What a wait waits for before time passes: by default that nothing is being fetched.
    var settling: @Sendable (_ isIdle: @escaping @Sendable () -> Bool) async -> Void {
        get { state.withLock { $0.settling } }
        set { state.withLock { $0.settling = newValue } }
    }

    /// The waits, in seconds.
    var waits: [Double] { state.withLock { $0.waits } }

    func time(after seconds: Int64) -> String { Timestamp(seconds: Self.start.seconds + seconds).rfc3339 }

    func pass(_ duration: Duration) { state.withLock { $0.uptime += duration } }

    var clock: RunClock {
        RunClock(
            now: { [state] in
                Timestamp(seconds: Self.start.seconds + state.withLock { $0.uptime }.components.seconds)
            },
            uptime: { [state] in state.withLock { $0.uptime } },
            wait: { [state] duration, _, isIdle in
                await state.withLock { $0.settling }(isIdle)
                let step = state.withLock { state in
                    state.uptime += duration
                    state.waits.append(duration.inSeconds)
                    return state.steps.isEmpty ? nil : state.steps.removeFirst()
                }
                step?()
            })
    }
}
