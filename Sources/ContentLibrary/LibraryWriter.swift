import Platform

/// A library with its lock held: stage, commit, publish, collect, in this order.
///
///     bytes → staging → seal (flush) → commit: rename into store/, receipt (flush) → publish: new generation (flush), current (flush)
///
/// Wherever this is cut short, by a kill or by the power, `current` is the old generation or the new one, whole; what was committed and not
/// published is found again by the next run, and anything else is cleared by it.
package final class LibraryWriter: Sendable {
    package let library: Library
    /// Held for as long as the writer lives.
    private let lock: LibraryLock
    let state = Locked(State())
    /// What a run that was killed had left in progress, and is gone.
    package let clearedBytes: Int64

    struct State {
        var lastStagingNumber = 0
        /// What was committed and no generation names yet: not to be collected.
        var unpublished: Set<StoreAddress> = []
    }

    init(library: Library, lock: LibraryLock) throws(LibraryError) {
        self.library = library
        self.lock = lock
        // The lock is held and nothing has been staged, so whatever is in progress belongs to a run that is dead.
        clearedBytes = try translating { () throws(SystemError) in
            var bytes: Int64 = 0
            for (directory, name) in try library.leftovers { bytes += try directory.removeTree(name) }
            return bytes
        }
    }

    /// A fresh, empty directory to build one bundle's content in.
    package func makeStaging() throws(LibraryError) -> Staging {
        let number = state.withLock { state in
            state.lastStagingNumber += 1
            return state.lastStagingNumber
        }
        return try translating { () throws(SystemError) in try Staging(number: number, in: library.staging) }
    }
}
