/// One thing that a checker can find. Each checker lists its rules in one enumeration whose raw values are the ids.
package protocol DiagnosticRule: RawRepresentable, CaseIterable, Sendable where RawValue == String {
    var severity: Severity { get }
    /// What the rule is about, in one line, for lists of rules.
    var title: String { get }
}

extension DiagnosticRule {
    /// A stable id such as `J001`: scripts filter by it, so it never changes its meaning and is never used again.
    package var id: String { rawValue }
}

/// How bad a finding is.
package enum Severity: String, Sendable {
    case error
    case warning
}
