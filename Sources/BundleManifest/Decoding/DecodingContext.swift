import Diagnostics
import JSONSyntax
import Platform

/// What decoders share: the options, and the findings so far.
struct DecodingContext {
    private struct Finding {
        let value: JSONValue
        let diagnostic: Diagnostic
    }

    /// More findings of one rule than this have one cause for most of them.
    private static let mostOfOneRule = 100

    let options: ManifestDecodingOptions
    private var findings: [Finding] = []
    /// By the ids of rules, with those that aren't kept.
    private var counts: [String: Int] = [:]
    /// Whether there is an error that leaves no manifest to follow.
    private(set) var hasErrors = false
    var sources = SourceFacts()
    /// The bundles that are complete, where they are wanted.
    private(set) var bundles: [Bundle] = []
    /// Whether there may be an object with a key that it has twice: a table has met one, or a part of the text was met that no table describes.
    /// Tables go through the keys anyway, so the objects of nearly all manifests needn't be looked through once more.
    var mayHaveRepeatedKeys = false

    init(options: ManifestDecodingOptions) {
        self.options = options
    }

    /// All that is told is made only for a finding that is kept: looking for what a million misspelled keys may have meant takes long.
    mutating func report(
        _ rule: ManifestRule, _ message: @autoclosure () -> String, at value: @autoclosure () -> JSONValue,
        notes: @autoclosure () -> [Diagnostic.Note] = [], hint: @autoclosure () -> String? = nil,
        fix: @autoclosure () -> [TextEdit] = [], secret: SourceRange? = nil
    ) {
        let isFatal = rule.severity == .error && !rule.failsBundleOnly
        add(rule, isFatal: isFatal, at: value()) { place in
            Diagnostic(
                rule, message(), at: place.markedRange, notes: notes(), hint: hint(), fix: fix(), secret: secret)
        }
    }

    /// For what JSON leaves to each format.
    mutating func report(
        json rule: JSONRule, _ message: @autoclosure () -> String, at value: JSONValue,
        notes: @autoclosure () -> [Diagnostic.Note] = [], hint: String? = nil,
        fix: @autoclosure () -> [TextEdit] = []
    ) {
        add(rule, isFatal: rule.severity == .error, at: value) { place in
            Diagnostic(rule, message(), at: place.markedRange, notes: notes(), hint: hint, fix: fix())
        }
    }

    private mutating func add(
        _ rule: some DiagnosticRule, isFatal: Bool, at value: @autoclosure () -> JSONValue,
        _ diagnostic: (JSONValue) -> Diagnostic
    ) {
        guard options.tellsNotes || rule.severity != .note else { return }
        hasErrors = hasErrors || isFatal
        guard isKept(rule.id, &counts) else { return }
        let value = value()
        findings.append(Finding(value: value, diagnostic: diagnostic(value)))
    }

    private func isKept(_ id: String, _ counts: inout [String: Int]) -> Bool {
        counts[id, default: 0] += 1
        return counts[id, default: 0] <= Self.mostOfOneRule
    }

    mutating func report(_ problem: Problem, at value: JSONValue, fix: @autoclosure () -> [TextEdit] = []) {
        report(
            problem.rule, problem.message, at: value, hint: problem.hint, fix: fix(),
            secret: secret(problem.rule, in: value))
    }

    /// Adds what was found in a later part of the text.
    mutating func append(_ other: DecodingContext) {
        hasErrors = hasErrors || other.hasErrors
        mayHaveRepeatedKeys = mayHaveRepeatedKeys || other.mayHaveRepeatedKeys
        sources.append(other.sources)
        bundles += other.bundles
        var kept = counts
        findings += other.findings.filter { isKept($0.diagnostic.id, &kept) }
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// Takes note of a source for the rules about all of them.
    mutating func add(_ source: SourceDraft, at place: JSONValue) {
        sources.add(source, at: place)
        guard let bytes = source.sizeBytes, bytes > 0, source.digest == Self.digestOfNothing else { return }
        report(
            .digestOfNothing, "this is the digest of an empty file, and the size is \(bytes)",
            at: place["sha256"] ?? place, hint: "take the digest again: sha256sum FILE")
    }

    private static let digestOfNothing = SHA256Digest(
        lowercaseHex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")

    /// What was read of a bundle is gone after its rules otherwise: the bundles of a long manifest take more memory than its text.
    mutating func keep(_ draft: BundleDraft) {
        guard options.keepsBundles, let bundle = draft.bundle else { return }
        bundles.append(bundle)
    }

    /// - Returns: the facts, which nobody needs after this.
    mutating func takeSources() -> SourceFacts {
        defer { sources = SourceFacts() }
        return sources
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

    /// All findings with their paths, in the order of the text. The last one of a rule tells how many of it are left out.
    func diagnostics(of document: JSONDocument) -> [Diagnostic] {
        var paths = JSONPathFinder(document)
        let inOrder = findings.sorted { $0.value.range.start < $1.value.range.start }
        var diagnostics = inOrder.map { finding in
            var diagnostic = finding.diagnostic
            diagnostic.path = paths.path(to: finding.value)
            return diagnostic
        }
        for (id, count) in counts where count > Self.mostOfOneRule {
            guard let last = diagnostics.lastIndex(where: { $0.id == id }) else { continue }
            diagnostics[last].othersCount = count - Self.mostOfOneRule
            diagnostics[last].message += " (and \(count - Self.mostOfOneRule) more like this)"
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
