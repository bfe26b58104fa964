import Diagnostics

/// How findings are printed.
enum ReportFormat: String, CaseIterable, Sendable {
    /// For people: with the code, a caret and a hint.
    case text
    /// One line each.
    case short
    case json
    /// SARIF 2.1.0.
    case sarif
    /// Workflow commands, which GitHub shows beside the code.
    case github

    /// What goes to standard output; ends with a line end unless it is empty.
    func text(of report: ValidationReport, usesColor: Bool) -> String {
        switch self {
        case .text: lines(of: report, usesColor, separator: "\n\n") { $0.block($1) }
        case .short: lines(of: report, usesColor, separator: "\n") { $0.line($1) }
        case .json: FindingsJSON(report).text
        case .sarif: SARIFLog(report).text
        case .github: report.findings.map(WorkflowCommands.init).map(\.text).joined()
        }
    }

    private func lines(
        of report: ValidationReport, _ usesColor: Bool, separator: String,
        _ render: (DiagnosticTextRenderer, Diagnostic) -> String
    ) -> String {
        let parts = report.findings.flatMap { findings in
            let renderer = DiagnosticTextRenderer(findings.lines, of: findings.all, usesColor: usesColor)
            return findings.shown.map { render(renderer, $0) }
        }
        return parts.isEmpty ? "" : parts.joined(separator: separator) + "\n"
    }
}
