import Glibc

/// Tells that the machine slept: then the clock that counts on in its sleep has run ahead of the one that doesn't.
struct SleepDetector: Sendable {
    private var sleptBefore: Duration

    /// Shorter than any sleep of a machine, longer than what may pass between two looks at clocks.
    private static let threshold: Duration = .seconds(3)

    /// - Parameter slept: how long it has slept since it was started.
    init(slept: Duration = Self.slept) { sleptBefore = slept }

    /// - Returns: whether it slept since the last look.
    mutating func look(slept: Duration = Self.slept) -> Bool {
        defer { sleptBefore = slept }
        return slept - sleptBefore > Self.threshold
    }

    /// How long the machine has slept since it was started.
    static var slept: Duration { time(CLOCK_BOOTTIME) - time(CLOCK_MONOTONIC) }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
