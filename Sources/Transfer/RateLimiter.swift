import Platform

/// A token bucket: how many bytes may be taken now, and when the next ones may.
struct RateLimiter {
    /// Bytes a second; nil: no bound.
    var bytesPerSecond: Int64? {
        didSet { available = min(available, burstBytes) }
    }
    private var available: Double = 0
    private var filledAt: SuspendingClock.Instant

    init(bytesPerSecond: Int64?, now: SuspendingClock.Instant) {
        self.bytesPerSecond = bytesPerSecond
        filledAt = now
        available = burstBytes
    }

    /// A tenth of a second's worth, at least what libcurl delivers at once.
    private var burstBytes: Double { max(Double(bytesPerSecond ?? 0) / 10, 16_384) }

    /// Whether bytes may be taken now.
    mutating func allows(at now: SuspendingClock.Instant) -> Bool {
        guard let bytesPerSecond else { return true }
        available = min(burstBytes, available + (now - filledAt).inSeconds * Double(bytesPerSecond))
        filledAt = now
        return available > 0
    }

    /// Books bytes that were taken; going below zero is paid back by waiting.
    mutating func take(_ count: Int) {
        if bytesPerSecond != nil { available -= Double(count) }
    }

    /// How long until bytes may be taken again.
    var wait: Duration {
        guard let bytesPerSecond, available <= 0 else { return .zero }
        return .seconds((1 - available) / Double(max(1, bytesPerSecond)))
    }
}
