import Diagnostics

/// Why a text isn't JSON.
package struct JSONSyntaxError: Error, CustomStringConvertible {
    package let source: SourceText
    /// At least one.
    package let diagnostics: [Diagnostic]

    /// The first finding, in one line, and how many more there are.
    package var description: String {
        guard let first = diagnostics.first else { return "\(source.name.quotedForMessage()): not JSON" }
        let line = DiagnosticTextRenderer(LineIndex(source), of: diagnostics).line(first)
        return diagnostics.count == 1 ? line : line + " (and \(diagnostics.count - 1) more)"
    }
}
