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

/// A rule that users of a checker can look up. All that is told of it is made from its row in a table.
package protocol ExplainedRule: DiagnosticRule {
    /// A row; the explanation says what goes wrong where the rule is broken, and what to do, in a few sentences.
    typealias Row = (severity: Severity, title: String, explanation: String)

    var row: Row { get }
}

extension ExplainedRule {
    package var severity: Severity { row.severity }

    package var title: String { row.title }

    package var explanation: String { row.explanation }
}
