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
        /// The same, of those bundles that somebody has asked for.
        var salvages: [BundleAddress: Salvage] = [:]
        /// What was committed and no generation names yet: not to be collected.
        var unpublished: Set<StoreAddress> = []
        var clearedBytes: Int64 = 0
        /// What is known not to be as its receipt says.
        var damaged: Set<StoreAddress> = []
        /// What is on its way into the place of damaged content.
        var replacing: Set<RelativePath> = []
        var recoveries: [String] = []
        /// Whether something of the current generation wasn't as it was published, and could not be put back.
        var isCurrentImpaired = false
        /// By which content may be mended whose receipt can't be read.
        var wantedFiles: Set<SHA256Digest> = []
    }
    /// Held while it is built: whoever needs it has nothing else to do.
    let fileSearch = Locked((wanted: Set<SHA256Digest>(), files: StoredFiles?.none))

    /// - Parameters:
    ///   - needsCurrent: throws where `current` is lost and can't be put back.
    ///   - isStopped: asked again and again while what a killed run left is read; throws after a yes.
    init(
        library: Library, lock: LibraryLock, needsCurrent: Bool, isStopped: @escaping @Sendable () -> Bool
    ) throws(LibraryError) {
        self.library = library
        self.lock = lock
        // The lock is held and nothing has been staged, so whatever is in progress belongs to a run that is dead. What it had all but committed is
        // carried to its end, and what it had brought of a bundle's files stays.
        try finishCommits(isStopped)
        let (salvages, bytes) = try translating { () throws(SystemError) in
            let salvages = try StagingLeftover.all(in: library.staging)
            var bytes: Int64 = 0
            for (directory, name) in try library.leftovers(besides: salvages) {
                bytes.addClamped(try directory.removeTree(name))
            }
            return (salvages, bytes)
        }
        state.withLock { state in
            state.leftovers = salvages
            state.lastStagingNumber = salvages.last?.names.number ?? 0
            state.clearedBytes = bytes
        }
        var recoveries: [String] = []
        do throws(LibraryError) { recoveries += try [restoreCurrent()].compactMap(\.self) } catch {
            // What isn't a link is told of by whoever has to know what is current; not everybody has to.
            guard error.code == .damaged || !needsCurrent else { throw error }
            if error.code != .damaged { recoveries.append("\(error)") }
        }
        recoveries += try restoreGenerations(.links, current: .links)
        state.withLock { [recoveries] in $0.recoveries = recoveries }
    }

    /// What had to be put in order before anything else, a line each, for people.
    package var recoveries: [String] { state.withLock { $0.recoveries } }

    /// What a run that was killed had left in progress, and is gone.
    package var clearedBytes: Int64 { state.withLock { $0.clearedBytes } }

    /// The bundles of which earlier runs had brought something.
    package var salvagedBundles: Set<BundleAddress> { Set(state.withLock { $0.leftovers.map(\.bundle) }) }

    /// What earlier runs had brought of a bundle's files: one and the same for all who ask, since it takes long to read where there is much.
    package func salvage(of bundle: BundleAddress) -> Salvage? {
        let (known, leftovers) = state.withLock { state in
            (state.salvages[bundle], state.leftovers.filter { $0.bundle == bundle })
        }
        if known != nil || leftovers.isEmpty { return known }
        let read = Salvage(leftovers, in: library.staging)
        return state.withLock { state in
            if let known = state.salvages[bundle] { return known }
            state.salvages[bundle] = read
            return read
        }
    }

    /// Lets go of what earlier runs had brought of a bundle's files: it is of no use any more.
    package func discardSalvage(of bundle: BundleAddress) throws(LibraryError) {
        try discardSalvage { $0 != bundle }
    }

    /// Lets go of what earlier runs had brought of bundles that nobody wants.
    /// - Returns: how many bytes that gave back to the file system.
    @discardableResult
    package func discardSalvage(unless isWanted: (BundleAddress) -> Bool) throws(LibraryError) -> Int64 {
        let doomed = state.withLock { state in
            let doomed = state.leftovers.filter { !isWanted($0.bundle) }
            state.leftovers.removeAll { !isWanted($0.bundle) }
            state.salvages = state.salvages.filter { isWanted($0.key) }
            return doomed
        }
        return try translating { () throws(SystemError) in
            var bytes: Int64 = 0
            for name in doomed.flatMap(\.kept) { bytes.addClamped(try library.staging.removeTree(name)) }
            return bytes
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
