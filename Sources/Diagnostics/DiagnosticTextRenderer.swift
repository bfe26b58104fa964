import Platform

/// Writes diagnostics for people: one line each, or with the line of code and a caret below.
///
/// Other forms (JSON, SARIF, GitHub) are renderers beside this one: they take the same ``Diagnostic`` and ``LineIndex``.
package struct DiagnosticTextRenderer: Sendable {
    private let lines: LineIndex
    private let name: String
    /// In the order of the text.
    private let secrets: [SourceRange]

    /// - Parameter diagnostics: all that is known about the text: what one of them keeps secret may stand on the line of another.
    package init(_ lines: LineIndex, of diagnostics: [Diagnostic]) {
        self.lines = lines
        self.name = escapedText(lines.source.name)
        self.secrets = diagnostics.compactMap(\.secret).sorted { $0.start < $1.start }
    }

    /// `FILE:LINE:COL: error[J001]: message (at $.bundles[2].urls)`, without a line end.
    package func line(_ diagnostic: Diagnostic) -> String {
        let label = "\(diagnostic.severity.rawValue)[\(diagnostic.id)]"
        let path = diagnostic.path.map { " (at \($0))" } ?? ""
        return "\(place(diagnostic.range)): \(label): \(diagnostic.message)\(path)"
    }

    /// The single line, the code it is about with a caret, the hint, and the notes with their code. Lines are joined by LF, without a final one.
    package func block(_ diagnostic: Diagnostic) -> String {
        var parts = [line(diagnostic), excerpt(diagnostic.range)]
        if let hint = diagnostic.hint { parts.append("  hint: \(hint)") }
        for note in diagnostic.notes {
            parts.append("\(place(note.range)): note: \(note.message)")
            parts.append(excerpt(note.range))
        }
        return parts.joined(separator: "\n")
    }

    private func place(_ range: SourceRange) -> String {
        let position = lines.position(of: range.start)
        return "\(name):\(position.line):\(position.column)"
    }

    /// The code line with a marker below. Long lines are cut to a window around the marked place.
    private func excerpt(_ range: SourceRange) -> String {
        let scalarsBefore = 60
        let scalarsAfter = 50
        let line = lines.lineRange(around: range.start)
        let start = min(max(range.start, line.lowerBound), line.upperBound)
        let end = min(max(range.end, start), line.upperBound)

        let windowStart = offset(from: start, back: scalarsBefore, notBefore: line.lowerBound)
        let windowEnd = offset(from: start, ahead: scalarsAfter, notAfter: line.upperBound)
        let before = displayed(windowStart..<start)
        let marked = displayed(start..<min(end, windowEnd))
        let after = displayed(min(end, windowEnd)..<windowEnd)

        let leading = windowStart > line.lowerBound ? "…" : ""
        let trailing = windowEnd < line.upperBound ? "…" : ""
        let number = String(lines.position(of: range.start).line)
        let gutter = String(repeating: " ", count: max(5 - number.count, 0)) + number
        let blank = String(repeating: " ", count: gutter.count)
        let indent = String(repeating: " ", count: leading.count + before.unicodeScalars.count)
        let marker = "^" + String(repeating: "~", count: max(marked.unicodeScalars.count - 1, 0))
        return "\(gutter) | \(leading)\(before)\(marked)\(after)\(trailing)\n\(blank) | \(indent)\(marker)"
    }

    private func offset(from start: Int, back scalars: Int, notBefore limit: Int) -> Int {
        var offset = start
        var left = scalars
        while offset > limit, left > 0 {
            offset -= 1
            if LineIndex.beginsScalar(lines.source.bytes[offset]) { left -= 1 }
        }
        return offset
    }

    private func offset(from start: Int, ahead scalars: Int, notAfter limit: Int) -> Int {
        var offset = start
        var left = scalars
        while offset < limit {
            if LineIndex.beginsScalar(lines.source.bytes[offset]) {
                if left == 0 { break }
                left -= 1
            }
            offset += 1
        }
        return offset
    }

    /// The bytes as text in which each scalar takes one place: a caret below has to line up, so nothing is escaped to something longer.
    private func displayed(_ range: Range<Int>) -> String {
        var text = ""
        var offset = range.lowerBound
        for secret in secrets where secret.end > offset && secret.start < range.upperBound {
            let start = max(secret.start, offset)
            let end = min(secret.end, range.upperBound)
            text += plain(offset..<start)
            text += String(repeating: "*", count: plain(start..<end).unicodeScalars.count)
            offset = end
        }
        return text + plain(offset..<range.upperBound)
    }

    private func plain(_ range: Range<Int>) -> String {
        var text = ""
        for scalar in String(decoding: lines.source.bytes[range], as: UTF8.self).unicodeScalars {
            text.unicodeScalars.append(scalar == "\t" ? " " : scalar.isUnsafeInMessages ? "\u{FFFD}" : scalar)
        }
        return text
    }
}
