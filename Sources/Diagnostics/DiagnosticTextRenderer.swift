import Platform

/// Writes diagnostics for people: one line each, or with the line of code and a caret below.
///
/// Other forms (JSON, SARIF, GitHub) are the command's: they are made of the same ``Diagnostic`` and ``LineIndex``.
package struct DiagnosticTextRenderer: Sendable {
    private let lines: LineIndex
    private let name: String
    private let usesColor: Bool
    private let secrets: SecretRanges

    /// - Parameter diagnostics: all that is known about the text: what one of them keeps secret may stand on the line of another.
    /// - Parameter usesColor: for a terminal: what is said in bold, how bad it is in a color of its own.
    package init(_ lines: LineIndex, of diagnostics: [Diagnostic], usesColor: Bool = false) {
        self.lines = lines
        self.usesColor = usesColor
        self.name = escapedText(lines.source.name)
        self.secrets = SecretRanges(lines.source, diagnostics)
    }

    /// `FILE:LINE:COL: error[J001]: message (at $.bundles[2].urls)`, without a line end.
    package func line(_ diagnostic: Diagnostic) -> String {
        let label = styled("\(diagnostic.severity.rawValue)[\(diagnostic.id)]:", diagnostic.severity.style)
        let path = diagnostic.path.map { " (at \($0))" } ?? ""
        return "\(place(diagnostic.range)): \(label) \(styled(diagnostic.message, .bold))\(path)"
    }

    /// The single line, the code it is about with a caret, the hint, and the notes with their code. Lines are joined by LF, without a final one.
    package func block(_ diagnostic: Diagnostic) -> String {
        var parts = [line(diagnostic), excerpt(diagnostic.range, diagnostic.severity.style)]
        if let hint = diagnostic.hint { parts.append("  \(styled("hint:", .cyan)) \(hint)") }
        for note in diagnostic.notes {
            parts.append("\(place(note.range)): \(styled("note:", .cyan)) \(note.message)")
            parts.append(excerpt(note.range, .cyan))
        }
        return parts.joined(separator: "\n")
    }

    private func place(_ range: SourceRange) -> String {
        let position = lines.position(of: range.start)
        return "\(name):\(position.line):\(position.column)"
    }

    /// The code line with a marker below. Long lines are cut to a window around the marked place.
    private func excerpt(_ range: SourceRange, _ style: TextStyle) -> String {
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
        return
            "\(gutter) | \(leading)\(before)\(marked)\(after)\(trailing)\n\(blank) | \(indent)\(styled(marker, style))"
    }

    private func styled(_ text: String, _ style: TextStyle) -> String {
        usesColor ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
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
        for secret in secrets.ranges(in: range) {
            text += plain(offset..<secret.lowerBound)
            text += String(repeating: "*", count: plain(secret).unicodeScalars.count)
            offset = secret.upperBound
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

/// How a part of a message looks: the parameters of SGR (ECMA-48, 8.3.117).
private enum TextStyle: String {
    case bold = "1"
    case red = "1;31"
    case yellow = "1;33"
    case cyan = "1;36"
}

extension Severity {
    fileprivate var style: TextStyle {
        switch self {
        case .error: .red
        case .warning: .yellow
        case .note: .cyan
        }
    }
}
