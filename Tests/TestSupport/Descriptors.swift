import Glibc

/// Held while a child process is started, and while descriptors exist that aren't close-on-exec yet: a child that inherits a
/// socket would keep it open after its owner closed it.
let spawnLock = Lock()

/// Marks a descriptor as one that children don't inherit.
package func setCloseOnExec(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

/// Makes reads and writes return `EAGAIN` instead of blocking.
package func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}

/// Waits until one of the descriptors has one of the events asked for.
///
/// - Parameter limit: how long at most; without one, for ever.
/// - Returns: what `poll` found for each, in order; empty sets when the time was up.
package func pollDescriptors(_ wanted: [(descriptor: Int32, events: Int16)], within limit: Duration? = nil) -> [Int16] {
    var entries = wanted.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    let clock = ContinuousClock()
    let deadline = limit.map { clock.now + $0 }
    while true {
        let milliseconds = deadline.map { Int32(clamping: max(0, (($0 - clock.now) / .milliseconds(1)).rounded(.up))) }
        if poll(&entries, nfds_t(entries.count), milliseconds ?? -1) >= 0 || errno != EINTR { break }
    }
    return entries.map(\.revents)
}

extension Int32 {
    fileprivate init(clamping value: Double) { self = value >= 2e9 ? .max : Int32(value) }
}
