/// The use of a partial file's place, until its name is free for another download.
struct PlaceLease: Sendable {
    private let ending: @Sendable () -> Void
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameters:
    ///   - ending: gives the place to who waits for it.
    ///   - later: runs that on another thread.
    init(ending: @escaping @Sendable () -> Void, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.ending = ending
        self.later = later
    }

    /// Ends it here and now; outside every lock.
    func end() { ending() }

    /// Ends it soon: the last reference to a file may go anywhere, even where a lock is held.
    func endLater() { later(ending) }
}
