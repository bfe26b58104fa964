/// Which of several workers takes which piece of work, and what is told of it when: pieces are taken in order, and whatever order they are
/// done in, they are told in order; of several that fail the first in order counts, as if one worker had done them all.
struct OrderedWork<Outcome: Sendable>: Sendable {
    private let count: Int
    private var taken = 0
    private var failed: (index: Int, error: ArchiveError)?
    /// What is done and can't be told yet.
    private var untold: [Int: Outcome] = [:]
    private var told = 0
    private var isBeingTold = false

    /// - Parameter count: how many pieces there are.
    init(count: Int) { self.count = count }

    /// Why the work as a whole has failed. Final once no piece is in work.
    var failure: ArchiveError? { failed?.error }

    /// The next piece; nil when there is none, or none that matters.
    mutating func take() -> Int? {
        guard failed == nil, taken < count else { return nil }
        defer { taken += 1 }
        return taken
    }

    /// Whether an earlier piece has failed, so that nobody will hear of this one. Earlier ones go on: they may fail as well.
    func isMoot(_ index: Int) -> Bool { failed.map { $0.index < index } ?? false }

    mutating func finish(_ index: Int, with outcome: Outcome) { untold[index] = outcome }

    mutating func fail(_ index: Int, with error: ArchiveError) {
        if !isMoot(index) { failed = (index, error) }
    }

    /// What is to be told now, by the caller alone, who then asks `continueTelling` until there is nothing more.
    mutating func beginTelling() -> [Outcome] { isBeingTold ? [] : continueTelling() }

    mutating func continueTelling() -> [Outcome] {
        var outcomes: [Outcome] = []
        while let outcome = untold.removeValue(forKey: told) {
            outcomes.append(outcome)
            told += 1
        }
        isBeingTold = !outcomes.isEmpty
        return outcomes
    }
}
