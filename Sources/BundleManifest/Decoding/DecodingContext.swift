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
        add(rule.severity, at: value) {
            Diagnostic(
                rule, message(), at: value.markedRange, notes: notes, hint: hint(), fix: fix(), secret: secret)
        }
    }

    /// For what JSON leaves to each format.
    mutating func report(
        json rule: JSONRule, _ message: @autoclosure () -> String, at value: JSONValue, hint: String,
        fix: @autoclosure () -> [TextEdit] = []
    ) {
        add(rule.severity, at: value) { Diagnostic(rule, message(), at: value.markedRange, hint: hint, fix: fix()) }
    }

    private mutating func add(_ severity: Severity, at value: JSONValue, _ diagnostic: () -> Diagnostic) {
        guard options.tellsNotes || severity != .note else { return }
        hasErrors = hasErrors || severity == .error
        counts[severity, default: 0] += 1
        guard counts[severity, default: 0] <= Self.mostFindings else { return }
        findings.append(Finding(value: value, diagnostic: diagnostic()))
    }

    mutating func report(_ problem: Problem, at value: JSONValue, fix: @autoclosure () -> [TextEdit] = []) {
        report(
            problem.rule, problem.message, at: value, hint: problem.hint, fix: fix(),
            secret: secret(problem.rule, in: value))
    }

    /// Adds what was found in a later part of the text.
    mutating func append(_ other: DecodingContext) {
        hasErrors = hasErrors || other.hasErrors
        var kept = counts
        for finding in other.findings {
            kept[finding.diagnostic.severity, default: 0] += 1
            if kept[finding.diagnostic.severity, default: 0] <= Self.mostFindings { findings.append(finding) }
        }
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// Where a finding about a URL tells that there is something to hide: the whole of one with a login, the query of a signed one.
    private func secret(_ rule: ManifestRule, in value: JSONValue) -> SourceRange? {
        switch rule {
        case .credentialsInURL: return value.range
        case .signedURL:
            let query = value.sourceBytes.firstIndex(of: UInt8(ascii: "?")) ?? value.range.start
            return SourceRange(start: query, end: value.range.end)
        default: return nil
        }
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
