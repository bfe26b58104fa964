import BundleManifest
import Diagnostics
import JSONSyntax
import Transfer

/// Gathers what was found of sources. What is no error is mostly a habit of the server's, and told once for each server, with a count.
struct OnlineFindings {
    private struct Habit: Hashable {
        let rule: ContentRule
        let server: TransferURL.Origin
    }

    private struct Finding {
        let rule: ContentRule
        let message: String
        let place: JSONValue
        let notes: [Diagnostic.Note]
        let hint: String?
        /// How many more are like this one.
        var others = 0
    }

    private var found: [Finding] = []
    private var habits: [Habit: Int] = [:]

    /// - Parameter server: whose habit it may be.
    mutating func report(
        _ rule: ContentRule, _ message: @autoclosure () -> String, at place: JSONValue, notes: [Diagnostic.Note] = [],
        hint: String? = nil, server: TransferURL.Origin? = nil
    ) {
        if rule.severity != .error, let server {
            let habit = Habit(rule: rule, server: server)
            if let first = habits[habit] {
                found[first].others += 1
                return
            }
            habits[habit] = found.count
        }
        found.append(Finding(rule: rule, message: message(), place: place, notes: notes, hint: hint))
    }

    var all: Findings {
        var findings = Findings()
        for one in found {
            let others =
                one.others == 0 ? "" : " (and \(one.others) more like this on the same server)"
            findings.report(one.rule, one.message + others, at: one.place, notes: one.notes, hint: one.hint)
        }
        return findings
    }
}
