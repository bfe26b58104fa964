import Platform

/// The time of a run, and how it waits.
package struct RunClock: Sendable {
    /// The present, as people tell it.
    package var now: @Sendable () -> Timestamp
    /// A time that only grows.
    package var uptime: @Sendable () -> Duration
    /// Waits, less long when the run is stopped. A clock whose time isn't the world's may wait until nothing is fetched meanwhile: `isIdle`.
    package var wait: @Sendable (Duration, RunControl, _ isIdle: @escaping @Sendable () -> Bool) async -> Void

    /// How long the answer to a reload of a live playlist is waited for, unless its segments are longer.
    package var answerTime: Duration = .seconds(10)
    /// How long, at the end of a recording, something that hangs is waited for when nothing else comes.
    package var lastWait: Duration = .seconds(300)

    package init(
        now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration,
        wait: @escaping @Sendable (Duration, RunControl, _ isIdle: @escaping @Sendable () -> Bool) async -> Void
    ) {
        (self.now, self.uptime, self.wait) = (now, uptime, wait)
    }

    /// The machine's.
    package static let system = RunClock(
        now: { .now },
        uptime: { start.duration(to: .now) },
        wait: { duration, control, _ in await control.wait(duration) })

    private static let start = ContinuousClock.now
}
