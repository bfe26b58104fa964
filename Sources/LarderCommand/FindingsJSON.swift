import Diagnostics
import JSONSyntax

/// Findings as one JSON array, for scripts.
struct FindingsJSON: FindingsPrinter {
    private var writer = JSONWriter(.pretty)

    init() { writer.beginArray() }

    mutating func add(_ findings: ManifestFindings) -> String {
        let secrets = SecretRanges(findings.lines.source, findings.all)
        for diagnostic in findings.shown { Self.write(diagnostic, findings.lines, secrets, to: &writer) }
        return writer.takeText()
    }

    mutating func finish() -> String {
        writer.endArray()
        return writer.takeText() + "\n"
    }

    private static func write(
        _ diagnostic: Diagnostic, _ lines: LineIndex, _ secrets: SecretRanges, to writer: inout JSONWriter
    ) {
        writer.object { finding in
            finding.member("file", lines.source.name)
            write(diagnostic.range, lines, to: &finding)
            finding.member("severity", diagnostic.severity.rawValue)
            finding.member("id", diagnostic.id)
            finding.member("message", diagnostic.message)
            finding.member("path", diagnostic.path)
            finding.member("hint", diagnostic.hint)
            finding.array("notes") { notes in
                for note in diagnostic.notes {
                    notes.object { object in
                        write(note.range, lines, to: &object)
                        object.member("message", note.message)
                    }
                }
            }
            // What replaces a secret mostly repeats it, and half a fix is none.
            let isSecret = diagnostic.fix.contains { edit in
                let range = edit.range.start..<edit.range.end
                return !edit.replacement.isEmpty && !secrets.ranges(in: range).isEmpty
            }
            finding.array("fix") { edits in
                for edit in isSecret ? [] : diagnostic.fix {
                    edits.object { object in
                        object.member("start", edit.range.start)
                        object.member("end", edit.range.end)
                        object.member("replacement", edit.replacement)
                    }
                }
            }
        }
    }

    /// Lines and columns count from 1, columns in Unicode scalars; `start` and `end` are bytes from 0.
    private static func write(_ range: SourceRange, _ lines: LineIndex, to writer: inout JSONWriter) {
        let start = lines.position(of: range.start)
        let end = lines.position(of: range.end)
        writer.member("line", start.line)
        writer.member("column", start.column)
        writer.member("endLine", end.line)
        writer.member("endColumn", end.column)
        writer.member("start", range.start)
        writer.member("end", range.end)
    }
}
