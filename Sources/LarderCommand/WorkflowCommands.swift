import Diagnostics
import Jobs
import Platform

/// Findings as workflow commands: `::error file=…,line=…::message`.
struct WorkflowCommands: FindingsPrinter {
    func add(_ findings: ManifestFindings) -> String {
        let file = Self.name(findings.location)
        return findings.shown.map { Self.command($0, findings.lines, file) }.joined()
    }

    func finish() -> String { "" }

    /// The name as the file system has it: GitHub looks for that file. One that would garble the log is escaped all the same.
    private static func name(_ location: ManifestLocation) -> String {
        guard case .file(let path) = location else { return location.description }
        let isShowable = path.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\r" || !$0.isUnsafeInMessages }
        return isShowable ? path : location.description
    }

    private static func command(_ diagnostic: Diagnostic, _ lines: LineIndex, _ file: String) -> String {
        let command =
            switch diagnostic.severity {
            case .error: "error"
            case .warning: "warning"
            case .note: "notice"
            }
        let start = lines.position(of: diagnostic.range.start)
        let end = lines.position(of: diagnostic.range.end)
        var properties = "file=\(property(file)),line=\(start.line),col=\(start.column)"
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
    /// By scalars: CR and LF in a row are one character.
    fileprivate func replacing(_ scalar: Unicode.Scalar, with text: String) -> String {
        unicodeScalars.reduce(into: "") { result, next in
            if next == scalar { result += text } else { result.unicodeScalars.append(next) }
        }
    }
}
