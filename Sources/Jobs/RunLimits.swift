import Platform

/// Ends a run at its deadline, when the disk gets too full, or where it may receive nothing and something has to come.
final class RunLimits: Sendable {
    private let control: RunControl
    private let salvaged = Locked<Int64>(0)
    private let deadline: Task<Void, Never>?
    private let room: RoomWatch
    private let hasCredit: Bool
    private let isSpent = Locked(false)

    /// - Parameter hasCredit: whether any body bytes may be received.
    init(_ options: RunOptions, _ control: RunControl, _ room: RoomWatch, hasCredit: Bool = true) {
        self.control = control
        self.room = room
        self.hasCredit = hasCredit
        deadline = options.deadline.map { deadline in
            Task {
                // Woken before its time only by `end`.
                if (try? await Task.sleep(for: min(deadline, Self.longestDeadline))) != nil { control.stop(.deadline) }
            }
        }
    }

    /// What the runtime can wait for without trapping; a century.
    private static let longestDeadline: Duration = .seconds(36_525 * 86_400)

    /// Whether anything may be asked for that comes with a body. Where it may not, the run ends here.
    func allowsFetch() -> Bool {
        if !hasCredit { control.stop(.byteBudget) }
        return hasCredit
    }

    /// Notes that something wasn't begun since too little may still be received for all of it. Others may go on.
    func noteSpent() { isSpent.withLock { $0 = true } }

    /// All has been begun that was to be: where too little could be received, that is what ended the run.
    func concludeBegun() { if isSpent.withLock({ $0 }) { control.stop(.byteBudget) } }

    /// Notes bytes that went to the disk.
    func note(written bytes: Int64) {
        control.noteActivity()
        if room.isShort(after: bytes) { control.stop(.noRoom) }
    }

    /// Why so many bytes can't be written; nil when they can.
    func objection(to bytes: Int64) -> String? { room.makeRoom(for: bytes) }

    /// Whether there is room for bytes that nobody has asked for, or not yet.
    func hasRoom(for bytes: Int64) -> Bool { room.hasRoom(for: bytes) }

    /// Notes bytes that an earlier run had brought.
    func note(salvaged bytes: Int64) {
        control.noteActivity()
        salvaged.withLock { $0.addClamped(bytes) }
    }

    /// What earlier runs had brought and this one has put to use, beside what went on where it had stopped.
    var salvagedBytes: Int64 { salvaged.withLock { $0 } }

    func end() { deadline?.cancel() }
}
