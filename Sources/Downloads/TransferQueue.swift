/// Which of the waiting downloads starts next: those that ran before first, then the highest priority, then the oldest, within a bound for all
/// and one for each host.
struct TransferQueue {
    /// Downloads at once; and at once from one host.
    var maximum: Int
    var maximumPerHost: Int

    private var running: [DownloadID: String] = [:]
    /// What runs at each host: downloads and further connections of theirs.
    private var runningPerHost: [String: Int] = [:]
    /// Connections that running downloads have beyond their first.
    private(set) var furtherConnectionCount = 0
    private var waiting: [String: Heap] = [:]
    /// What each waiting download waits with; an entry in a heap that differs is a leftover.
    private var tickets: [DownloadID: Ticket] = [:]

    struct Ticket: Hashable {
        let id: DownloadID
        /// Whether it only lost its session: nobody else gets its turn.
        var isInterrupted = false
        let priority: Int
        /// Smaller is older.
        let sequence: UInt64
        let host: String

        func goes(before other: Ticket) -> Bool {
            if isInterrupted != other.isInterrupted { return isInterrupted }
            return priority != other.priority ? priority > other.priority : sequence < other.sequence
        }
    }

    init(maximum: Int, maximumPerHost: Int) {
        self.maximum = maximum
        self.maximumPerHost = maximumPerHost
    }

    var waitingCount: Int { tickets.count }
    var runningCount: Int { running.count }

    /// Lets a download wait for its turn; one that waits already gets the new ticket.
    mutating func add(_ ticket: Ticket) {
        guard tickets[ticket.id] != ticket else { return }
        tickets[ticket.id] = ticket
        waiting[ticket.host, default: Heap()].push(ticket)
    }

    /// Takes a waiting download out.
    mutating func remove(_ id: DownloadID) { tickets[id] = nil }

    /// Gives a running download's place back.
    mutating func release(_ id: DownloadID) {
        if let host = running.removeValue(forKey: id) { free(host) }
    }

    private mutating func free(_ host: String) {
        guard let count = runningPerHost[host] else { return }
        runningPerHost[host] = count > 1 ? count - 1 : nil
    }

    /// The next download that may start; it counts as running from now on.
    mutating func startNext() -> DownloadID? {
        guard hasRoom else { return nil }
        var best: Ticket?
        for host in Array(waiting.keys) where hasRoom(at: host) {
            guard let ticket = firstValid(of: host) else { continue }
            if best.map({ ticket.goes(before: $0) }) ?? true { best = ticket }
        }
        guard let best else { return nil }
        waiting[best.host]?.pop()
        tickets[best.id] = nil
        running[best.id] = best.host
        runningPerHost[best.host, default: 0] += 1
        return best.id
    }

    /// Drops all leftovers, and the memory they had needed.
    mutating func compact() {
        tickets = tickets.compacted()
        waiting = [:]
        for ticket in tickets.values { waiting[ticket.host, default: Heap()].push(ticket) }
    }

    // MARK: Further connections

    private var usedCount: Int { running.count + furtherConnectionCount }
    private var hasRoom: Bool { usedCount < max(1, maximum) }
    private func hasRoom(at host: String) -> Bool { runningPerHost[host, default: 0] < max(1, maximumPerHost) }

    /// Takes a place for a further connection of a running download, once whoever waits has had the chance to start.
    /// - Returns: whether there was one.
    mutating func addConnection(to host: String) -> Bool {
        guard hasRoom, hasRoom(at: host) else { return false }
        runningPerHost[host, default: 0] += 1
        furtherConnectionCount += 1
        return true
    }

    /// Gives a further connection's place back.
    mutating func releaseConnection(to host: String) {
        furtherConnectionCount -= 1
        free(host)
    }

    /// Whether a further connection to a host takes a place that a waiting download could have, or that there no longer is.
    mutating func isInTheWay(_ host: String) -> Bool {
        if usedCount > max(1, maximum) || runningPerHost[host, default: 0] > max(1, maximumPerHost) { return true }
        return Array(waiting.keys).contains { waitingHost in
            guard firstValid(of: waitingHost) != nil else { return false }
            if !hasRoom(at: waitingHost) { return waitingHost == host }
            return !hasRoom
        }
    }

    /// The first of a host's tickets that still counts; leftovers before it are dropped.
    private mutating func firstValid(of host: String) -> Ticket? {
        while let first = waiting[host]?.first {
            if tickets[first.id] == first { return first }
            waiting[host]?.pop()
        }
        waiting[host] = nil
        return nil
    }

    /// A binary heap with the ticket that goes first on top.
    private struct Heap {
        private var items: [Ticket] = []

        var first: Ticket? { items.first }

        mutating func push(_ ticket: Ticket) {
            items.append(ticket)
            var child = items.count - 1
            while child > 0 {
                let parent = (child - 1) / 2
                guard items[child].goes(before: items[parent]) else { return }
                items.swapAt(child, parent)
                child = parent
            }
        }

        mutating func pop() {
            guard let last = items.popLast(), !items.isEmpty else { return }
            items[0] = last
            var parent = 0
            while true {
                var best = parent
                let (left, right) = (2 * parent + 1, 2 * parent + 2)
                if left < items.count, items[left].goes(before: items[best]) { best = left }
                if right < items.count, items[right].goes(before: items[best]) { best = right }
                if best == parent { return }
                items.swapAt(parent, best)
                parent = best
            }
        }
    }
}
