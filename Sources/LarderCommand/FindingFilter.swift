import Diagnostics

/// What is shown of all that is found.
struct FindingFilter: Sendable {
    let least: Severity
    /// Rules whose findings are left out.
    let allowed: Set<String>
    /// How many findings are shown.
    let limit: Int

    func takes(_ diagnostic: Diagnostic) -> Bool {
        diagnostic.severity.isAtLeast(least) && !allowed.contains(diagnostic.id)
    }
}
