import Diagnostics
import JSONSyntax

extension ManifestRule {
    /// Every rule that a manifest can break, those of JSON first.
    package static let catalogue =
        JSONRule.allCases.map(RuleDescription.init) + allCases.map(RuleDescription.init)
        + ContentRule.allCases.map(RuleDescription.init)
}
