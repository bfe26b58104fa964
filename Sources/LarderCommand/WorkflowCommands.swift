import Diagnostics

/// Findings as workflow commands: `::error file=…,line=…::message`.
struct WorkflowCommands {
    let text: String

    init(_ findings: ValidationReport.Findings) {
        text = findings.shown.map { Self.command($0, findings.lines) }.joined()
    }

    private static func command(_ diagnostic: Diagnostic, _ lines: LineIndex) -> String {
        let command =
            switch diagnostic.severity {
            case .error: "error"
            case .warning: "warning"
            case .note: "notice"
            }
        let start = lines.position(of: diagnostic.range.start)
        let end = lines.position(of: diagnostic.range.end)
        var properties = "file=\(property(lines.source.name)),line=\(start.line),col=\(start.column)"
        // Columns are taken only where both are on one line.
        if end.line == start.line { properties += ",endLine=\(end.line),endColumn=\(max(end.column, start.column))" }
        properties += ",title=\(property(diagnostic.id))"
        let hint = diagnostic.hint.map { "\nhint: \($0)" } ?? ""
        return "::\(command) \(properties)::\(data(diagnostic.message + hint))\n"
    }

    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}

extension String {
    fileprivate func replacing(_ character: Character, with text: String) -> String {
        reduce(into: "") { result, next in
            if next == character { result += text } else { result.append(next) }
        }
    }
}
