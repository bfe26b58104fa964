import Glibc
import Platform

/// What a collection took away.
package struct Collected: Hashable, Sendable {
    package fileprivate(set) var generations: [GenerationNumber] = []
    package fileprivate(set) var contents: [StoreAddress] = []
    package fileprivate(set) var freedBytes: Int64 = 0
}

/// Which generations stay, and which go.
struct GenerationChoice {
    var kept: Set<GenerationNumber> = []
    /// What is younger stays.
    let oldest: Timestamp
    /// Locked for as long as their directories are held open: no reader gets in any more.
    var doomed: [(number: GenerationNumber, directory: Directory)] = []
}

extension Library {
    /// Chooses as ``LibraryWriter/collect(keep:keepAge:now:)`` says.
    func chooseGenerations(
        keep: Int, keepAge: Duration, now: Timestamp
    ) throws(LibraryError) -> GenerationChoice {
        let numbers = try generations.numbers()
        let oldest = Timestamp(seconds: now.seconds &- keepAge.components.seconds, nanoseconds: now.nanoseconds)
        var choice = GenerationChoice(oldest: oldest)
        choice.kept = Set(numbers.suffix(max(1, keep)))
        if let current = try currentGeneration() { choice.kept.insert(current) }
        for number in numbers where !choice.kept.contains(number) {
            let directory = try translating { () throws(SystemError) in
                try generationsDirectory.subdirectory(number.path)
            }
            if try translating({ () throws(SystemError) in try directory.descriptor.status().modified > oldest }) {
                choice.kept.insert(number)
            } else if try translating({ () throws(SystemError) in try directory.descriptor.lock(exclusive: true) }) {
                choice.doomed.append((number, directory))
            } else {
                // A reader holds it.
                choice.kept.insert(number)
            }
        }
        return choice
    }
}

/// Removing what no kept generation needs.
///
/// A generation goes before the content it names, and a receipt before its content, each for good: after a crash nothing names what is gone.
extension LibraryWriter {
    /// Removes old generations, and then the content that none of those kept names. Call it after a successful publication, and not while
    /// another thread commits or publishes.
    ///
    /// Always kept: the current generation, the last `keep`, any younger than `keepAge`, any on whose directory a reader holds a shared
    /// `flock`, and what was committed and has not been published yet: by this writer, or by a run of the last `keepAge` that was cut short.
    /// - Parameters:
    ///   - keep: how many generations stay whatever their age; at least one.
    ///   - now: a generation from the future, by a clock that was wrong once, counts as young.
    /// - Throws: before anything is removed when a kept generation can't be read.
    package func collect(
        keep: Int = 2, keepAge: Duration = .seconds(24 * 60 * 60), now: Timestamp = .now
    ) throws(LibraryError) -> Collected {
        var collected = Collected()
        let choice = try library.chooseGenerations(keep: keep, keepAge: keepAge, now: now)
        let unpublished = state.withLock { $0.unpublished }
        let isNeeded = try library.neededContents(choice)
        try translating { () throws(SystemError) in
            try removeGenerations(choice.doomed.map(\.number), &collected)
            try removeContents(&collected) { unpublished.contains($0) || isNeeded($0) }
        }
        withExtendedLifetime(choice) {}
        return collected
    }

    private func removeGenerations(_ doomed: [GenerationNumber], _ collected: inout Collected) throws(SystemError) {
        guard !doomed.isEmpty else { return }
        let generations = library.generationsDirectory
        for number in doomed { try generations.rename(number.path, to: number.removedPath) }
        // Else a power loss could bring back a generation whose content is gone.
        try generations.synchronize()
        for number in doomed { collected.freedBytes.addClamped(try generations.removeTree(number.removedPath)) }
        collected.generations = doomed
    }

    private func removeContents(
        _ collected: inout Collected, unless isNeeded: (StoreAddress) -> Bool
    ) throws(SystemError) {
        var doomed: [(bundle: BundleAddress, names: [StoreName])] = []
        var isEmpty: [BundleAddress] = []
        try library.forEachStoredBundle { bundle, directory throws(SystemError) in
            let present = try directory.names()
            let names = Set(present.compactMap(StoreName.init(storeEntry:)))
                .filter { !isNeeded(StoreAddress(bundle: bundle, name: $0)) }.sorted()
            for name in names { collected.freedBytes.addClamped(try directory.removeTree(name.receiptPath)) }
            if !names.isEmpty { doomed.append((bundle, names)) }
            if present.isEmpty { isEmpty.append(bundle) }
        }
        // Else a power loss could bring back the receipt of content that is half gone.
        try flush(doomed.map(\.bundle))
        for (bundle, names) in doomed {
            let directory = try library.store.bundleDirectory(bundle)
            for name in names {
                collected.freedBytes.addClamped(try directory.removeTree(name.path))
                collected.contents.append(StoreAddress(bundle: bundle, name: name))
            }
            if try directory.names().isEmpty { isEmpty.append(bundle) }
        }
        for bundle in isEmpty { try removePlace(of: bundle) }
    }

    /// Flushes the directories of bundles: all at once, where there are so many that a flush of each would take longer.
    private func flush(_ bundles: [BundleAddress]) throws(SystemError) {
        if bundles.count > Self.fewBundles, try library.storeDirectory.descriptor.synchronizeFileSystem() { return }
        for bundle in bundles { try library.store.bundleDirectory(bundle).synchronize() }
    }

    private static let fewBundles = 8

    /// Removes the directory of a bundle that has nothing left, and that of its manifest with the last of them.
    private func removePlace(of bundle: BundleAddress) throws(SystemError) {
        let holder = try library.storeDirectory.subdirectory(bundle.manifest.path)
        try holder.removeDirectory(bundle.bundle.path)
        do { try library.storeDirectory.removeDirectory(bundle.manifest.path) } catch {
            guard error.code == ENOTEMPTY || error.code == EEXIST else { throw error }
        }
    }
}
