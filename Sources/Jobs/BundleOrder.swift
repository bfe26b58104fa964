import BundleManifest

/// Which bundle of a run may start next: the highest priority first, then the order of the manifests, and none before those it waits for.
struct BundleOrder {
    /// A bundle's place in the run: which manifest, and which of its bundles.
    struct Index: Hashable {
        let manifest: Int
        let bundle: String
    }

    private var waiting: [(index: Index, priority: Int, after: Set<Index>)]
    private var failed: Set<Index> = []

    /// - Parameter bundles: in the order of the run. What is not part of the run is not waited for.
    init(_ bundles: [(index: Index, bundle: Bundle)]) {
        let known = Set(bundles.map(\.index))
        waiting = bundles.map { index, bundle in
            let after = bundle.after.map { Index(manifest: index.manifest, bundle: $0.text) }
            return (index, bundle.priority, Set(after).intersection(known))
        }
        // Stable: bundles of one priority keep their order.
        waiting = waiting.enumerated()
            .sorted { ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset) }
            .map(\.element)
    }

    enum Next: Hashable {
        case start(Index)
        /// It waited for one that failed.
        case skip(Index, failed: Index)
        /// Those that are left wait for running ones.
        case none
    }

    /// Takes the next bundle out.
    mutating func next() -> Next {
        for (position, entry) in waiting.enumerated() {
            if let failed = entry.after.first(where: { failed.contains($0) }) {
                waiting.remove(at: position)
                self.failed.insert(entry.index)
                return .skip(entry.index, failed: failed)
            }
            if entry.after.isEmpty {
                waiting.remove(at: position)
                return .start(entry.index)
            }
        }
        return .none
    }

    /// Notes that a bundle has ended.
    mutating func finish(_ index: Index, succeeded: Bool) {
        guard succeeded else {
            failed.insert(index)
            return
        }
        for position in waiting.indices { waiting[position].after.remove(index) }
    }
}
