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
        /// What dead runs left of bundles that aren't in the store yet.
        var leftovers: [StagingLeftover] = []
        /// What was committed and no generation names yet: not to be collected.
        var unpublished: Set<StoreAddress> = []
    }

    init(library: Library, lock: LibraryLock) throws(LibraryError) {
        self.library = library
        self.lock = lock
        try translating { () throws(SystemError) in try clearLeftovers() }
    }

    /// The lock is held and nothing has been staged, so whatever is in progress belongs to a run that is dead. What it had brought of a bundle's
    /// files stays.
    private func clearLeftovers() throws(SystemError) {
        let leftovers = try StagingLeftover.all(in: library.staging)
        let kept = Set(leftovers.flatMap { [$0.name, $0.journalName] })
        for name in try library.staging.names() where !kept.contains(name) { try library.staging.removeTree(name) }
        state.withLock { state in
            state.leftovers = leftovers
            state.lastStagingNumber = leftovers.last?.number ?? 0
        }
        for name in try library.generationsDirectory.names() where name.bytes.starts(with: [UInt8(ascii: ".")]) {
            try library.generationsDirectory.removeTree(name)
        }
        for name in try library.internals.names() where name.bytes.starts(with: LibraryLayout.probePrefix.utf8) {
            try library.internals.removeTree(name)
        }
    }

    /// What earlier runs had brought of a bundle's files.
    package func salvage(of bundle: BundleAddress) -> Salvage? {
        let leftovers = state.withLock { $0.leftovers }.filter { $0.bundle == bundle }
        return leftovers.isEmpty ? nil : Salvage(leftovers, in: library.staging)
    }

    /// Lets go of what earlier runs had brought of a bundle's files: it is of no use any more.
    package func discardSalvage(of bundle: BundleAddress) throws(LibraryError) {
        let leftovers = state.withLock { state in
            defer { state.leftovers.removeAll { $0.bundle == bundle } }
            return state.leftovers.filter { $0.bundle == bundle }
        }
        try translating { () throws(SystemError) in
            for leftover in leftovers {
                for name in [leftover.name, leftover.journalName] { try library.staging.removeTree(name) }
            }
        }
    }

    /// A fresh, empty directory to build one bundle's content in.
    /// - Parameter bundle: whose files these are, where the next run may take over what this one leaves; see ``Staging/note(_:at:)``.
    package func makeStaging(for bundle: BundleAddress? = nil) throws(LibraryError) -> Staging {
        let number = state.withLock { state in
            state.lastStagingNumber += 1
            return state.lastStagingNumber
        }
        return try translating { () throws(SystemError) in try Staging(number: number, in: library.staging, for: bundle)
        }
    }
}
