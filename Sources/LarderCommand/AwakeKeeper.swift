import Jobs
import Platform

/// Keeps the machine awake while a run moves bytes: not for a moment's work, and not while it only waits.
final class AwakeKeeper: Sendable {
    private struct State {
        var gauge = WorkGauge()
        var inhibitor: SleepInhibitor?
    }

    private let control: RunControl
    private let program: String
    private let state = Locked(State())

    /// - Parameter program: what to inhibit sleep with.
    init(_ control: RunControl, program: String = "systemd-inhibit") {
        self.control = control
        self.program = program
    }

    /// To be called every second.
    func look() {
        let activity = control.activity
        let (isWorking, isHeld) = state.withLock { ($0.gauge.look(activity), $0.inhibitor != nil) }
        guard isWorking != isHeld else { return }
        // One that is refused isn't asked again each second: its object stays, and holds nothing.
        let inhibitor = isWorking ? SleepInhibitor(why: "fetching media", program: program) : nil
        state.withLock { $0.inhibitor = inhibitor }
    }
}
