import BundleManifest
import Diagnostics
import JSONSyntax
import Transfer

/// Gathers what was found of sources. What is no error is mostly a habit of the server's, and told once for each server, with a count; of
/// errors a few are told for each.
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
    /// How often each was found.
    private var counts: [Habit: Int] = [:]
    private var lastTold: [Habit: Int] = [:]
    private static let mostErrors = 20

    /// - Parameter server: whose habit it may be.
    mutating func report(
        _ rule: ContentRule, _ message: @autoclosure () -> String, at place: JSONValue, notes: [Diagnostic.Note] = [],
        hint: String? = nil, server: TransferURL.Origin? = nil
    ) {
        if let server {
            let habit = Habit(rule: rule, server: server)
            counts[habit, default: 0] += 1
            if counts[habit, default: 0] > (rule.severity == .error ? Self.mostErrors : 1), let last = lastTold[habit] {
                found[last].others += 1
                return
            }
            lastTold[habit] = found.count
        }
        found.append(Finding(rule: rule, message: message(), place: place, notes: notes, hint: hint))
    }

    var all: Findings {
        var findings = Findings()
        for one in found {
            let others =
                one.others == 0 ? "" : " (and \(one.others) more like this on the same server)"
            var diagnostic = Diagnostic(
                one.rule, one.message + others, at: one.place.markedRange, notes: one.notes, hint: one.hint)
            diagnostic.othersCount = one.others
            findings.append(diagnostic, at: one.place)
        }
        return findings
    }
}
