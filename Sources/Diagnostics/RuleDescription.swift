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
