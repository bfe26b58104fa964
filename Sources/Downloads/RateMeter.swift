/// The rate of a transfer over its last seconds.
struct RateMeter {
    private var marks: [(time: ContinuousClock.Instant, bytes: Int64)] = []
    private static let window: Duration = .seconds(3)

    /// Notes how many bytes there are by now.
    /// - Returns: bytes a second over the window; nil in the first moments.
    mutating func note(_ bytes: Int64, at now: ContinuousClock.Instant = .now) -> Int64? {
        // Four marks a second are exact enough, whatever the pace of the pieces.
        if marks.last.map({ now - $0.time >= .milliseconds(250) }) ?? true { marks.append((now, bytes)) }
        while marks.count > 2, now - marks[0].time > Self.window { marks.removeFirst() }
        guard let first = marks.first, now - first.time >= .milliseconds(250) else { return nil }
        let elapsed = (now - first.time) / .seconds(1)
        return Int64(Double(bytes - first.bytes) / elapsed)
    }
}
