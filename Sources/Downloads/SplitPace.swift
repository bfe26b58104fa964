import Platform

/// How many connections a download should have, judged by what each more does to its rate; a value that is told what there is.
struct SplitPace {
    private let policy: SplitPolicy
    /// How many there should be.
    private(set) var connections = 1
    /// Over how many the last rate was measured that counts, and what it was.
    private var measured: (connections: Int, bytesPerSecond: Double)?
    private var isSettled = false
    /// Since when the same connections bring bytes, and what they have brought.
    private var window: Window?
    /// The same since there are more than those that were measured, whether they all bring something or not.
    private var trial: Window?
    /// How long it took of late until a further range began to come.
    private(set) var requestTime: Duration = .zero

    private struct Window {
        let started: ContinuousClock.Instant
        let bytes: Int64
        let connections: Int
        var noteCount = 0
    }

    /// One by one they would take longer to come than most downloads last.
    private static let firstStep = 8
    /// How much faster more connections must make the whole.
    private static let worthwhileGrowth = 1.25

    init(_ policy: SplitPolicy) { self.policy = policy }

    /// What one connection brings; nil until that is known.
    private var bytesPerSecondEach: Double? { measured.map { $0.bytesPerSecond / Double(max(1, $0.connections)) } }

    /// Bytes that one connection brings in the time that a piece should take. A piece is long beside what it takes to get its first byte.
    var pieceBytes: Int64 {
        max(policy.minimumPieceBytes, bytes(in: max(policy.pieceTime, requestTime * policy.pieceTimePerRequest)))
    }

    /// Bytes that one connection brings in the time that another request takes.
    var requestCostBytes: Int64 { bytes(in: requestTime) }

    private func bytes(in time: Duration) -> Int64 {
        bytesPerSecondEach.map { Int64(min($0 * time.inSeconds, 0x1p50)) } ?? 0
    }

    /// How long a new request would take to bring some bytes; nil while nobody knows.
    func time(for bytes: Int64) -> Duration? {
        bytesPerSecondEach.map { requestTime + .seconds(Double(bytes) / max(1, $0)) }
    }

    /// Notes that a range began to come.
    /// - Parameter time: since it was asked for.
    mutating func noteFirstByte(after time: Duration) { requestTime = max(time, requestTime / 2) }

    /// One that was opened has never brought anything.
    mutating func giveUpOne() { connections = max(1, connections - 1) }

    /// Notes how far the download is.
    /// - Parameters:
    ///   - receivedBytes: what was fetched so far.
    ///   - remainingBytes: what is still to come.
    ///   - active: connections whose present requests have brought bytes.
    ///   - opened: those, and those that wait for their first.
    mutating func note(
        receivedBytes: Int64, remainingBytes: Int64, active: Int, opened: Int, now: ContinuousClock.Instant = .now
    ) {
        let here = Window(started: now, bytes: receivedBytes, connections: opened)
        let isTrial = opened > measured?.connections ?? opened && !isSettled
        trial = isTrial ? trial ?? here : nil
        defer { window?.noteCount += 1 }
        guard active == opened, let window, window.connections == opened else {
            // A rate counts only as long as it is one of the same connections.
            window = active == opened ? here : nil
            if let trial, now - trial.started >= policy.trialTime { judgeTrial(trial, here, remainingBytes) }
            return
        }
        let elapsed = now - window.started
        // Bytes come in gulps: one each says nothing.
        guard elapsed >= policy.measuringTime, window.noteCount >= 2 * active else { return }
        let rate = Self.rate(window, here)
        if isTrial, elapsed < policy.fairTime, !isWorthwhile(rate) { return }
        self.window = here
        judge(rate, active, remainingBytes)
    }

    private static func rate(_ from: Window, _ to: Window) -> Double {
        Double(max(0, to.bytes - from.bytes)) / max(0.001, (to.started - from.started).inSeconds)
    }

    private func isWorthwhile(_ rate: Double) -> Bool {
        rate >= (measured?.bytesPerSecond ?? 0) * Self.worthwhileGrowth
    }

    /// Where some are always waiting for their bytes, what counts is what there was in all.
    private mutating func judgeTrial(_ trial: Window, _ now: Window, _ remainingBytes: Int64) {
        self.trial = now
        judge(Self.rate(trial, now), now.connections, remainingBytes)
    }

    private mutating func judge(_ rate: Double, _ active: Int, _ remainingBytes: Int64) {
        if let measured, active > measured.connections, !isSettled, !isWorthwhile(rate) {
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
