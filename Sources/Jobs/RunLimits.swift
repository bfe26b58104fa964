import Platform

/// Ends a run at its deadline, or when the disk gets too full.
final class RunLimits: Sendable {
    private let control: RunControl
    private let salvaged = Locked<Int64>(0)
    private let deadline: Task<Void, Never>?
    private let room: RoomWatch

    init(_ options: RunOptions, _ control: RunControl, _ room: RoomWatch) {
        self.control = control
        self.room = room
        deadline = options.deadline.map { deadline in
            Task {
                // Woken before its time only by `end`.
                if (try? await Task.sleep(for: min(deadline, Self.longestDeadline))) != nil { control.stop(.deadline) }
            }
        }
    }

    /// What the runtime can wait for without trapping; a century.
    private static let longestDeadline: Duration = .seconds(36_525 * 86_400)

    /// Notes bytes that went to the disk.
    func note(written bytes: Int64) {
        control.noteActivity()
        if room.isShort(after: bytes) { control.stop(.noRoom) }
    }

    /// Notes bytes that an earlier run had brought.
    func note(salvaged bytes: Int64) {
        control.noteActivity()
        salvaged.withLock { $0 = $0.addingClamped(bytes) }
    }

    /// What earlier runs had brought and this one has put to use, beside what went on where it had stopped.
    var salvagedBytes: Int64 { salvaged.withLock { $0 } }

    func end() { deadline?.cancel() }
}
