import Diagnostics
import Jobs

/// One manifest's findings, in the order of its text.
struct ManifestFindings {
    let location: ManifestLocation
    let lines: LineIndex
    /// What is shown.
    let shown: [Diagnostic]
    /// All that is known of the text: what one finding keeps secret may stand on the line of another.
    let all: [Diagnostic]
}

/// What a validation found in all its inputs.
struct ValidationReport {
    private let filter: FindingFilter
    private var printer: any FindingsPrinter
    /// Inputs that couldn't be read, one line each.
    private(set) var unreadable: [String] = []
    private var counts: [Severity: Int] = [:]
    private var manifestCount = 0
    private var shownCount = 0
    /// What `--max-findings` has left out.
    private var hiddenCount = 0
    /// The names of files that were rewritten.
    var fixed: [String] = []
    /// How the run exits because it was stopped.
    var stopped: Jobs.ExitCode?

    init(_ filter: FindingFilter, _ printer: any FindingsPrinter) { (self.filter, self.printer) = (filter, printer) }

    /// - Returns: what goes to standard output now.
    mutating func add(_ validated: ValidatedManifest) -> String {
        manifestCount += 1
        let taken = validated.diagnostics.filter(filter.takes)
        for diagnostic in taken { counts[diagnostic.severity, default: 0] += 1 + diagnostic.othersCount }
        let shown = Array(taken.prefix(filter.limit - shownCount))
        shownCount += shown.count
        hiddenCount += taken.count - shown.count
        guard !shown.isEmpty else { return "" }
        return printer.add(
            ManifestFindings(
                location: validated.location, lines: LineIndex(validated.source), shown: shown,
                all: validated.diagnostics))
    }

    /// What goes to standard output in the end. Nothing is added after that.
    mutating func finish() -> String { printer.finish() }

    /// What two parts of a check can't read is told once.
    mutating func addUnreadable(_ line: String) {
        if !unreadable.contains(line) { unreadable.append(line) }
    }

    /// `2 errors, 1 warning in 3 manifests`, and what isn't shown.
    var summary: String {
        let found = Severity.allCases.compactMap { severity in counts[severity].map { plural($0, severity.rawValue) } }
        guard manifestCount > 0 || unreadable.isEmpty else { return "nothing could be checked" }
        var text = found.isEmpty ? "nothing found" : found.joined(separator: ", ")
        text += " in \(plural(manifestCount, "manifest"))"
        if !unreadable.isEmpty { text += "; not all could be read" }
        if hiddenCount > 0 { text += "; \(hiddenCount) not shown (--max-findings)" }
        if !fixed.isEmpty { text += "; \(fixed.count) fixed: \(fixed.joined(separator: ", "))" }
        return text
    }

    func exit(denyingWarnings: Bool) -> Jobs.ExitCode {
        let fails = counts[.error] != nil || (denyingWarnings && counts[.warning] != nil)
        let code: Jobs.ExitCode = fails ? .failure : .success
        return [unreadable.isEmpty ? .success : .unreadable, stopped ?? .success].reduce(code) { $0.combined(with: $1) }
    }

    private func plural(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}
