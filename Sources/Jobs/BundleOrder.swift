import BundleManifest

/// Which bundle of a run may start next: the highest priority first, then the order of the manifests, and none before those it waits for.
struct BundleOrder {
    /// A bundle's place in the run: which manifest, and which of its bundles.
    struct Index: Hashable {
        let manifest: Int
        let bundle: String
    }

    private struct Entry {
        let index: Index
        /// How many of those it comes after have not succeeded yet.
        var pendingCount: Int
        /// The first of them that failed.
        var failed: Index?
    }

    /// In the order in which they start, as far as they may.
    private var entries: [Entry]
    /// Who waits for a bundle that has not ended, by position in `entries`.
    private var followers: [Index: [Int]] = [:]
    /// Positions of those that may be started or have to be skipped.
    private var ready: PositionSet

    /// - Parameter bundles: in the order of the run. What is not part of the run is not waited for.
    init(_ bundles: [(index: Index, bundle: Bundle)]) {
        let known = Set(bundles.map(\.index))
        // Stable: bundles of one priority keep their order.
        let ordered = bundles.enumerated()
            .sorted { ($1.element.bundle.priority, $0.offset) < ($0.element.bundle.priority, $1.offset) }
            .map(\.element)
        entries = []
        ready = PositionSet(limit: ordered.count)
        for (position, (index, bundle)) in ordered.enumerated() {
            let after = Set(bundle.after.map { Index(manifest: index.manifest, bundle: $0.text) }).intersection(known)
            entries.append(Entry(index: index, pendingCount: after.count))
            for other in after { followers[other, default: []].append(position) }
            if after.isEmpty { ready.insert(position) }
        }
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
        guard let position = ready.popFirst() else { return .none }
        let entry = entries[position]
        guard let failed = entry.failed else { return .start(entry.index) }
        finish(entry.index, succeeded: false)
        return .skip(entry.index, failed: failed)
    }

    /// Notes that a bundle has ended.
    mutating func finish(_ index: Index, succeeded: Bool) {
        // Whoever has to be skipped already waits for nobody.
        for position in followers.removeValue(forKey: index) ?? [] where entries[position].failed == nil {
            if succeeded {
                entries[position].pendingCount -= 1
            } else {
                entries[position].failed = index
            }
            if !succeeded || entries[position].pendingCount == 0 { ready.insert(position) }
        }
    }
}

/// Some of the numbers from 0 up to a limit, a bit for each: the least of a hundred thousand is found in a microsecond.
private struct PositionSet {
    private var words: [UInt64]
    /// No word before this one has a bit.
    private var start = 0

    init(limit: Int) { words = Array(repeating: 0, count: limit / 64 + 1) }

    mutating func insert(_ position: Int) {
        words[position / 64] |= 1 << UInt64(position % 64)
        start = min(start, position / 64)
    }

    /// Takes the least one out.
    mutating func popFirst() -> Int? {
        while start < words.count, words[start] == 0 { start += 1 }
        guard start < words.count else { return nil }
        let bit = words[start].trailingZeroBitCount
        words[start] &= words[start] - 1
        return start * 64 + bit
    }
}
