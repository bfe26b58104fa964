import Platform

/// When a run may work: what the hour, the machine and chance have to say. Whoever set terms knows them, so that nothing is told of a run
/// that they hold back.
package struct RunTerms: Sendable {
    /// Only in this part of the day, local time; nil: always.
    package var window: DailyWindow?
    /// Begin after a random part of this.
    package var jitter: Duration = .zero
    package var conditions = MachineConditions()
    /// A run that is held back, finds another one at work or is paused has failed when the library was last brought up to date longer ago; nil: never.
    package var maximumAge: Duration?

    package init() {}

    /// What speaks against beginning now; nil when nothing does.
    func objection(at now: Timestamp) -> RunSkip? {
        windowObjection(at: now).map { RunSkip(.window, $0) } ?? conditions.objection.map { RunSkip(.conditions, $0) }
    }

    private func windowObjection(at now: Timestamp) -> String? {
        guard let window, !window.contains(minuteOfDay: now.localMinuteOfDay) else { return nil }
        return "it is not the time: \(window)"
    }

    /// Why a run that has begun is to stop now; nil when it may go on.
    package func reasonToStop(at now: Timestamp = .now) -> StopReason? {
        if windowObjection(at: now) != nil { return .window }
        return conditions.lastingObjection == nil ? nil : .conditions
    }
}
