import Diagnostics
import JSONSyntax

/// What decoders share: the options, and the findings so far.
struct DecodingContext {
    private struct Finding {
        let value: JSONValue
        let diagnostic: Diagnostic
    }

    /// A manifest with more errors, or more warnings, than this has one cause for most of them.
    private static let mostFindings = 1000

    let options: ManifestDecodingOptions
    private var findings: [Finding] = []
    private var counts: [Severity: Int] = [:]
    private(set) var hasErrors = false

    init(options: ManifestDecodingOptions) {
        self.options = options
    }

    /// Message and hint are made only for a finding that is kept: looking for what a million misspelled keys may have meant takes long.
    mutating func report(
        _ rule: ManifestRule, _ message: @autoclosure () -> String, at value: JSONValue, notes: [Diagnostic.Note] = [],
        hint: @autoclosure () -> String? = nil, fix: @autoclosure () -> [TextEdit] = [], secret: SourceRange? = nil
    ) {
        guard options.tellsNotes || rule.severity != .note else { return }
        hasErrors = hasErrors || rule.severity == .error
        counts[rule.severity, default: 0] += 1
        guard counts[rule.severity, default: 0] <= Self.mostFindings else { return }
        let diagnostic = Diagnostic(
            rule, message(), at: value.markedRange, notes: notes, hint: hint(), fix: fix(), secret: secret)
        findings.append(Finding(value: value, diagnostic: diagnostic))
    }

    mutating func report(_ problem: Problem, at value: JSONValue, fix: @autoclosure () -> [TextEdit] = []) {
        report(
            problem.rule, problem.message, at: value, hint: problem.hint, fix: fix(),
            secret: problem.rule == .credentialsInURL ? value.range : nil)
    }

    mutating func reportRange(of value: JSONValue, _ expected: String) {
        report(.badNumber, "expected \(expected), found \((value.numberText ?? "").quotedForMessage())", at: value)
    }

    /// All findings with their paths, in the order of the text.
    func diagnostics(of document: JSONDocument) -> [Diagnostic] {
        var paths = JSONPathFinder(document)
        let inOrder = findings.sorted { $0.value.range.start < $1.value.range.start }
        var diagnostics = inOrder.map { finding in
            var diagnostic = finding.diagnostic
            diagnostic.path = paths.path(to: finding.value)
            return diagnostic
        }
        let end = SourceRange(at: document.source.bytes.count)
        for (rule, severity) in [(ManifestRule.tooManyErrors, Severity.error), (.tooManyWarnings, .warning)] {
            let dropped = counts[severity, default: 0] - Self.mostFindings
            guard dropped > 0 else { continue }
            diagnostics.append(Diagnostic(rule, "\(dropped) more \(severity.rawValue)s are not told", at: end))
        }
        return diagnostics
    }
}

extension JSONValue {
    /// What a finding about this value points at: the opening bracket of what may be thousands of lines, or the whole of a scalar.
    package var markedRange: SourceRange {
        switch kind {
        case .object, .array: SourceRange(at: range.start, length: 1)
        case .string, .number, .boolean, .null: range
        }
    }
}

/// A decoded value and its place in the text, for rules that look at several values together.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let place: JSONValue
}
