import Diagnostics

/// Collects what is found in a playlist. Where every line has the same mistake, some of them are told.
struct PlaylistFindings {
    private(set) var diagnostics: [Diagnostic] = []
    private var counts: [PlaylistRule: Int] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Parameter message: made only for a finding that is told.
    mutating func report(
        _ rule: PlaylistRule, _ message: () -> String, at range: Range<Int>, hint: String? = nil
    ) {
        let count = counts[rule, default: 0]
        guard count < limit else { return }
        counts[rule] = count + 1
        let range = SourceRange(start: range.lowerBound, end: range.upperBound)
        diagnostics.append(Diagnostic(rule, message(), at: range, hint: hint))
    }
}
