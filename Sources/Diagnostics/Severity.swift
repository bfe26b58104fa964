/// How bad a finding is.
package enum Severity: String, Sendable, CaseIterable {
    case error
    case warning
    /// Nothing is wrong: something that is worth knowing.
    case note

    /// Errors first.
    package func isAtLeast(_ other: Severity) -> Bool { rank <= other.rank }

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .note: 2
        }
    }
}
