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

    func printer(usesColor: Bool) -> any FindingsPrinter {
        switch self {
        case .text: TextFindings(separator: "\n", usesColor: usesColor) { $0.block($1) }
        case .short: TextFindings(separator: "", usesColor: usesColor) { $0.line($1) }
        case .json: FindingsJSON()
        case .sarif: SARIFLog()
        case .github: WorkflowCommands()
        }
    }
}

/// Makes what goes to standard output, one manifest after the other: nothing is held that can be written.
protocol FindingsPrinter: Sendable {
    /// - Returns: what is to be written now.
    mutating func add(_ findings: ManifestFindings) -> String

    /// - Returns: what is still to be written; all of it together ends with a line end, unless it is empty. Nothing is added after that.
    mutating func finish() -> String
}

/// Findings for people.
private struct TextFindings: FindingsPrinter {
    /// What stands between two findings, each of which ends with a line end.
    let separator: String
    let usesColor: Bool
    let render: @Sendable (DiagnosticTextRenderer, Diagnostic) -> String
    private var isFirst = true

    init(
        separator: String, usesColor: Bool, render: @escaping @Sendable (DiagnosticTextRenderer, Diagnostic) -> String
    ) {
        (self.separator, self.usesColor, self.render) = (separator, usesColor, render)
    }

    mutating func add(_ findings: ManifestFindings) -> String {
        let renderer = DiagnosticTextRenderer(findings.lines, of: findings.all, usesColor: usesColor)
        var text = ""
        for finding in findings.shown {
            text += (isFirst ? "" : separator) + render(renderer, finding) + "\n"
            isFirst = false
        }
        return text
    }

    func finish() -> String { "" }
}
