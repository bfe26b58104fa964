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

/// A rule without its type: a row in the list of all rules of a program.
package struct RuleDescription: Sendable {
    package let id: String
    package let severity: Severity
    package let title: String
    package let explanation: String

    package init(_ rule: some ExplainedRule) {
        id = rule.id
        severity = rule.severity
        title = rule.title
        explanation = rule.explanation
    }
}

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
