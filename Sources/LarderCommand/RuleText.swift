import BundleManifest
import Diagnostics

/// What is told about rules themselves.
enum RuleText {
    /// One line a rule.
    static var list: String {
        ManifestRule.catalogue.map { rule in
            let severity = rule.severity.rawValue
            let padding = String(repeating: " ", count: 9 - severity.count)
            return "\(rule.id)  \(severity)\(padding)\(rule.title)\n"
        }.joined()
    }

    static func explanation(of rule: RuleDescription) -> String {
        "\(rule.id) (\(rule.severity.rawValue)): \(rule.title)\n\n\(rule.explanation)\n"
    }
}
