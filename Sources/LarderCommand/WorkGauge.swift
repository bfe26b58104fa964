/// Tells work from a moment's work and from waiting, by looks at a number that changes with the work.
struct WorkGauge {
    private var last: UInt64 = 0
    /// Looks in a row that saw a change, and that saw none.
    private var busy = 0
    private var idle = 0
    private var isWorking = false

    /// So many looks in a row make it work, and so many make it none.
    private static let busyLooks = 3
    private static let idleLooks = 30

    mutating func look(_ number: UInt64) -> Bool {
        (busy, idle) = number == last ? (0, idle + 1) : (busy + 1, 0)
        last = number
        if busy >= Self.busyLooks { isWorking = true }
        if idle >= Self.idleLooks { isWorking = false }
        return isWorking
    }
}
