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
        case .text: TextFindings(separator: "\n\n", usesColor: usesColor) { $0.block($1) }
        case .short: TextFindings(separator: "\n", usesColor: usesColor) { $0.line($1) }
        case .json: FindingsJSON()
        case .sarif: SARIFLog()
        case .github: WorkflowCommands()
        }
    }
}

/// Makes what goes to standard output, one manifest after the other: a text is let go once its findings are written.
protocol FindingsPrinter: Sendable {
    mutating func add(_ findings: ManifestFindings)

    /// All of it; ends with a line end unless it is empty. Nothing is added after that.
    mutating func finish() -> String
}

/// Findings for people.
private struct TextFindings: FindingsPrinter {
    let separator: String
    let usesColor: Bool
    let render: @Sendable (DiagnosticTextRenderer, Diagnostic) -> String
    private var text = ""

    init(
        separator: String, usesColor: Bool, render: @escaping @Sendable (DiagnosticTextRenderer, Diagnostic) -> String
    ) {
        (self.separator, self.usesColor, self.render) = (separator, usesColor, render)
    }

    mutating func add(_ findings: ManifestFindings) {
        let renderer = DiagnosticTextRenderer(findings.lines, of: findings.all, usesColor: usesColor)
        for finding in findings.shown { text += (text.isEmpty ? "" : separator) + render(renderer, finding) }
    }

    func finish() -> String { text.isEmpty ? "" : text + "\n" }
}
