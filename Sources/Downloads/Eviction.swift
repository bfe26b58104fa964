import Platform

/// Which paused downloads are let go for want of room: those that nobody means to go on with before the others, and of each kind the one that was
/// paused first. No more of them than it takes; and none where all together would not be enough, since nothing would be won by it.
struct Eviction {
    /// A paused download, as far as the choice depends on it.
    struct Candidate: Hashable {
        let name: RelativePath
        /// What the disk gets back.
        let bytes: Int64
        let paused: Timestamp
        /// Whether somebody means to go on with it.
        let isWanted: Bool

        fileprivate func goes(before other: Candidate) -> Bool {
            isWanted != other.isWanted ? !isWanted : paused < other.paused
        }
    }

    /// What is to go, in this order.
    let chosen: [Candidate]

    /// - Parameter shortageBytes: what has to become free.
    init(of candidates: [Candidate], freeing shortageBytes: Int64) {
        var chosen: [Candidate] = []
        var missingBytes = shortageBytes
        for candidate in candidates.sorted(by: { $0.goes(before: $1) }) where candidate.bytes > 0 {
            guard missingBytes > 0 else { break }
            chosen.append(candidate)
            missingBytes -= candidate.bytes
        }
        self.chosen = missingBytes > 0 ? [] : chosen
    }
}
