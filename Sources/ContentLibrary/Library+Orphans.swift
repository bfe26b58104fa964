import Glibc
import Platform

/// What lies in a library that nothing needs, as far as the library itself can tell.
package struct LibraryOrphans: Hashable, Sendable {
    /// Generations that wouldn't stay.
    package let generations: [GenerationNumber]
    /// Content that no other generation names.
    package let contents: [StoreAddress]
    /// What the disk holds for these, and for what a run that was killed left in progress.
    package let bytes: Int64
}

extension Library {
    /// Looks for what a collection would remove, and changes nothing.
    /// - Parameters:
    ///   - keep: as of a collection.
    ///   - isWanted: whether what earlier runs had brought of a bundle is still of use.
    /// - Throws: `busy` while a run holds the library: what it has in progress looks the same.
    package func orphans(
        keep: Int = .max, keepAge: Duration = .zero, now: Timestamp = .now, unless isWanted: (BundleAddress) -> Bool
    ) throws(LibraryError) -> LibraryOrphans {
        let lock = try lockForLooking()
        defer { withExtendedLifetime(lock) {} }
        let choice = try chooseGenerations(keep: keep, keepAge: keepAge, now: now)
        defer { withExtendedLifetime(choice) {} }
        let isNeeded = try neededContents(choice)
        let replaced = try replacedContent(keeping: 0, olderThan: .zero, now: now)
        return try translating { () throws(SystemError) in
            var bytes: Int64 = 0
            for doomed in choice.doomed { bytes.addClamped(try generationsDirectory.treeBytes(doomed.number.path)) }
            let salvages = try StagingLeftover.all(in: staging, forLooking: true).filter { isWanted($0.bundle) }
            for (directory, name) in try leftovers(besides: salvages) {
                bytes.addClamped(try directory.treeBytes(name))
            }
            for name in replaced { bytes.addClamped(try quarantine.treeBytes(name)) }
            var contents: [StoreAddress] = []
            try forEachStoredBundle { bundle, directory throws(SystemError) in
                let names = Set(try directory.names().compactMap(StoreName.init(storeEntry:)))
                for name in names where !isNeeded(StoreAddress(bundle: bundle, name: name)) {
                    contents.append(StoreAddress(bundle: bundle, name: name))
                    for path in [name.path, name.receiptPath] { bytes.addClamped(try directory.treeBytes(path)) }
                }
            }
            return LibraryOrphans(
                generations: choice.doomed.map(\.number), contents: contents.sorted(), bytes: bytes)
        }
    }

    /// Nil for a copy that has no lock, so that nobody can hold it.
    private func lockForLooking() throws(LibraryError) -> LibraryLock? {
        guard try internals.holds(.file, at: LibraryLayout.lock) else { return nil }
        switch try LibraryLock.acquireForLooking(in: internals) {
        case .held(let held): return held
        case .busy(let process): throw .busy(path, process)
        }
    }

    /// What kept generations name; where nothing was published, or all of it is lost, also what is complete: nobody knows then what was. Of what
    /// a kept generation may have lost without a trace everything stays.
    /// What is complete, young, and named by none that goes may be about to be published, by a run that was cut short.
    func neededContents(_ choice: GenerationChoice) throws(LibraryError) -> (StoreAddress) -> Bool {
        if choice.kept.isEmpty { return try vouchedContents().contains }
        var needed: Set<StoreAddress> = []
        var missed: Set<BundleAddress> = []
        for number in choice.kept {
            let generation = try generations.open(number)
            needed.formUnion(generation.addresses)
            if generation.mayHaveHeldMore { missed.formUnion(try bundlesMissed(by: generation)) }
        }
        if !missed.isEmpty { needed.formUnion(try contents(of: missed)) }
        let outgoing = Set(choice.doomed.flatMap { (try? generations.open($0.number))?.addresses ?? [] })
        return { [needed, store] address in
            needed.contains(address)
                || !outgoing.contains(address) && (store.commitTime(of: address).map { $0 > choice.oldest } ?? false)
        }
    }

    /// What is in progress: of a run that is dead, for whoever has the lock and hasn't begun.
    /// - Parameter salvages: what is kept of it.
    func leftovers(
        besides salvages: [StagingLeftover]
    ) throws(SystemError) -> [(directory: Directory, name: RelativePath)] {
        let kept = Set(salvages.flatMap(\.kept))
        var found = try staging.names().filter { !kept.contains($0) }.map { (staging, $0) }
        found += try generationsDirectory.names().filter(GenerationNumber.isInProgress).map {
            (generationsDirectory, $0)
        }
        found += try partial.temporarySiblings(of: UnnamedFile.stem).map { (partial, $0) }
        // A record that was being replaced, or bytes that were being copied apart from another name of theirs.
        found += try partial.temporarySiblings(ofNamesEnding: [".part", ".part.resume"]).map { (partial, $0) }
        for name in [LibraryLayout.probe, LibraryLayout.pin] {
            found += try internals.temporarySiblings(of: name).map { (internals, $0) }
        }
        return found
    }

    /// Hands each bundle that the store has a directory for to `body`, with that directory. What isn't ours is passed over. One at a time: there may be
    /// more of them than descriptors.
    func forEachStoredBundle(
        _ body: (BundleAddress, Directory) throws(SystemError) -> Void
    ) throws(SystemError) {
        for manifestName in try storeDirectory.names() {
            guard let manifest = ContentID(manifestName), let holder = try directory(manifestName, in: storeDirectory)
            else { continue }
            for bundleName in try holder.names() {
                guard let bundle = ContentID(bundleName), let contents = try directory(bundleName, in: holder) else {
                    continue
                }
                try body(BundleAddress(manifest: manifest, bundle: bundle), contents)
            }
        }
    }

    /// A directory of the store; nil for anything else that has its name, which somebody else put there, and for one that a run is just removing.
    func directory(_ name: RelativePath, in parent: Directory) throws(SystemError) -> Directory? {
        do { return try parent.subdirectory(name) } catch {
            guard [ENOENT, ENOTDIR, ELOOP].contains(error.code) else { throw error }
            return nil
        }
    }
}

extension StoreName {
    /// Reads the name of a content directory or of a receipt; nil for what isn't ours.
    init?(storeEntry path: RelativePath) {
        let suffix = Array(Self.receiptSuffix.utf8)
        // A slug may end in ".receipt", but a name can't: it ends in the key.
        self.init(path.bytes.suffix(suffix.count) == suffix[...] ? path.bytes.dropLast(suffix.count) : path.bytes[...])
    }
}
