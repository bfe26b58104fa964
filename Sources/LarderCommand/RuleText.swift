import Diagnostics
import JSONSyntax
import ManifestChecks

/// What is told about rules themselves.
enum RuleText {
    /// One line a rule.
    static var list: String {
        RuleCatalogue.all.map { rule in
            let severity = rule.severity.rawValue
            let padding = String(repeating: " ", count: 9 - severity.count)
            return "\(rule.id)  \(severity)\(padding)\(rule.title)\n"
        }.joined()
    }

    static func explanation(of rule: RuleDescription) -> String {
        "\(rule.id) (\(rule.severity.rawValue)): \(rule.title)\n\n\(rule.explanation)\n"
    }

    /// An array of objects, for scripts.
    static var jsonList: String { json(RuleCatalogue.all.map(Item.init)) }

    static func json(of rule: RuleDescription) -> String { json(Item(rule: rule)) }

    private static func json(_ value: some JSONWritable) -> String {
        var writer = JSONWriter(.pretty)
        writer.value(value)
        return writer.text + "\n"
    }

    private struct Item: JSONWritable {
        let rule: RuleDescription

        func write(to writer: inout JSONWriter) {
            writer.object { object in
                object.member("id", rule.id)
                object.member("severity", rule.severity.rawValue)
                object.member("title", rule.title)
                object.member("explanation", rule.explanation)
            }
        }
    }
}
