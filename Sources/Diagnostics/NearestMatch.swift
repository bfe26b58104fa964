/// The candidate that `word` was most likely meant to be, or nil when none is close enough to be worth naming.
///
/// Distance is the number of inserted, deleted, replaced or swapped adjacent characters; a third of the word may differ, at least one.
/// Of candidates at the same distance the first wins. Compares ASCII case-insensitively.
package func nearestMatch(to word: String, among candidates: some Sequence<String>) -> String? {
    // A longer word is no misspelling of a key or an option, and the cost grows with both lengths.
    let longestWordBytes = 64
    guard !word.isEmpty, word.utf8.count <= longestWordBytes else { return nil }
    let lowercased = Array(word.lowercased().utf8)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
        let bound = best?.distance ?? (max(1, lowercased.count / 3) + 1)
        // As many bytes as one is longer have to be inserted at least.
        guard abs(candidate.utf8.count - lowercased.count) < bound,
            let distance = editDistance(lowercased, Array(candidate.lowercased().utf8), below: bound)
        else { continue }
        best = (candidate, distance)
    }
    return best?.candidate
}

/// Damerau's distance in its "optimal string alignment" form: a swap of neighbours counts once.
/// - Returns: nil for one that isn't below the bound.
private func editDistance(_ from: [UInt8], _ to: [UInt8], below bound: Int) -> Int? {
    var beforePrevious: [Int] = []
    var previous = Array(0...to.count)
    for (row, byte) in from.enumerated() {
        var current = [row + 1]
        for (column, other) in to.enumerated() {
            var cost = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (byte == other ? 0 : 1))
            if row > 0, column > 0, byte == to[column - 1], from[row - 1] == other {
                cost = min(cost, beforePrevious[column - 1] + 1)
            }
            current.append(cost)
        }
        // Costs never fall from two rows to the next one.
        guard current.contains(where: { $0 < bound }) || previous.contains(where: { $0 < bound }) else { return nil }
        (beforePrevious, previous) = (previous, current)
    }
    return previous[to.count] < bound ? previous[to.count] : nil
}
