import Platform

/// How many connections a download should have, judged by what each more does to its rate; a value that is told what there is.
struct SplitPace {
    private let policy: SplitPolicy
    /// How many there should be.
    private(set) var connections = 1
    /// Over how many the last rate was measured that counts, and what it was.
    private var measured: (connections: Int, bytesPerSecond: Double)?
    private var isSettled = false
    private var window: (started: ContinuousClock.Instant, bytes: Int64, connections: Int)?

    /// One by one they would take longer to come than most downloads last.
    private static let firstStep = 8
    /// How much faster more connections must make the whole.
    private static let worthwhileGrowth = 1.25

    init(_ policy: SplitPolicy) { self.policy = policy }

    /// Bytes that one connection brings in the time that a piece should take.
    var pieceBytes: Int64 {
        guard let measured else { return policy.minimumPieceBytes }
        let bytes = measured.bytesPerSecond / Double(max(1, measured.connections)) * policy.pieceTime.inSeconds
        return Int64(min(bytes, 0x1p50))
    }

    /// Notes how far the download is.
    /// - Parameters:
    ///   - receivedBytes: what was fetched so far.
    ///   - remainingBytes: what is still to come.
    ///   - active: connections that bring bytes.
    ///   - isStarting: others were opened that don't yet.
    mutating func note(
        receivedBytes: Int64, remainingBytes: Int64, active: Int, isStarting: Bool, now: ContinuousClock.Instant = .now
    ) {
        guard !isStarting, let window, window.connections == active else {
            // A rate counts only as long as it is one of the same connections.
            return self.window = isStarting ? nil : (now, receivedBytes, active)
        }
        let elapsed = now - window.started
        guard elapsed >= policy.measuringTime else { return }
        self.window = (now, receivedBytes, active)
        judge(Double(max(0, receivedBytes - window.bytes)) / elapsed.inSeconds, active, remainingBytes)
    }

    private mutating func judge(_ rate: Double, _ active: Int, _ remainingBytes: Int64) {
        if let measured, active > measured.connections, !isSettled,
            rate < measured.bytesPerSecond * Self.worthwhileGrowth
        {
            isSettled = true
            connections = measured.connections
            return
        }
        if isSettled, let measured, active != measured.connections { return }
        // A moment's halt doesn't make a download slow.
        let rate = measured.map { $0.connections == active ? max(rate, ($0.bytesPerSecond + rate) / 2) : rate } ?? rate
        measured = (active, rate)
        guard !isSettled, active >= connections, remainingBytes >= policy.minimumRemainingBytes else { return }
        // As many as would make it short.
        let useful = (Double(remainingBytes) / max(1, rate * policy.minimumRemaining.inSeconds)) * Double(active)
        guard useful > Double(active) else { return }
        connections = min(max(Self.firstStep, 2 * active), Int(min(useful.rounded(.up), 1024)))
    }
}
