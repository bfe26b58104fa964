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

    struct State {
        var lastStagingNumber = 0
        /// What was committed and no generation names yet: not to be collected.
        var unpublished: Set<StoreAddress> = []
    }

    init(library: Library, lock: LibraryLock) throws(LibraryError) {
        self.library = library
        self.lock = lock
        try translating { () throws(SystemError) in try clearLeftovers() }
    }

    /// The lock is held and nothing has been staged, so whatever is in progress belongs to a run that is dead.
    private func clearLeftovers() throws(SystemError) {
        for name in try library.staging.names() { try library.staging.removeTree(name) }
        for name in try library.generationsDirectory.names() where name.bytes.starts(with: [UInt8(ascii: ".")]) {
            try library.generationsDirectory.removeTree(name)
        }
        for name in try library.internals.names() where name.bytes.starts(with: LibraryLayout.probePrefix.utf8) {
            try library.internals.removeTree(name)
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
