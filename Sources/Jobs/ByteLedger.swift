import ContentLibrary
import Platform

/// What was fetched this month, in all runs: kept in the library's index, and written down while a run lasts, so that one which is killed has
/// spent what it had fetched.
final class ByteLedger: Sendable {
    private let history: RunHistory
    /// Of this run.
    private let recordedBytes = Locked<Int64>(0)

    /// How long what was fetched may stay unrecorded.
    static let interval: Duration = .seconds(5)

    init(_ history: RunHistory) { self.history = history }

    /// What this month's runs had fetched before. Where nobody knew all of them, since the index was lost meanwhile, is new or can't be used, as
    /// much as the library can tell. To be asked at every run's beginning: what this one notes must not be taken for all there was.
    func spentBytes(_ library: Library, at now: Timestamp) -> Int64 {
        let month = now.localMonth
        let known = history.fetchedBytes(inMonth: month)
        if let known, history.isKept { return known }
        if history.isKept, let first = history.firstRun, first.localMonth < month { return 0 }
        let estimate = library.estimatedFetchedBytes { $0.localMonth == month }
        history.add(fetchedBytes: estimate, inMonth: month)
        return max(estimate, known ?? 0)
    }

    /// Notes how much this run has fetched by now.
    func record(_ fetchedBytes: Int64, at now: Timestamp) {
        let new = recordedBytes.withLock { recorded in
            defer { recorded = max(recorded, fetchedBytes) }
            return fetchedBytes - recorded
        }
        if new > 0 { history.add(fetchedBytes: new, inMonth: now.localMonth) }
    }
}
