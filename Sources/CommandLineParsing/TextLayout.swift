/// Lines of at most 80 columns.
enum TextLayout {
    static let width = 80
    /// Where the second column begins.
    static let column = 28

    /// Two columns; a first one that is too long for that stands on a line of its own.
    static func row(_ first: String, _ second: String) -> String {
        let lines = wrapped(second, indent: column)
        let start = "  " + first
        guard start.count + 2 <= column else { return start + "\n" + lines }
        return start + lines.dropFirst(start.count)
    }

    /// Two columns in one line where that is possible, if only by moving the second one.
    static func shortRow(_ first: String, _ second: String) -> String {
        let start = "  " + first
        let line = start + String(repeating: " ", count: max(2, column - start.count)) + second
        return line.count <= width ? line : row(first, second)
    }

    static func titled(_ title: String, _ rows: [String]) -> String {
        rows.isEmpty ? "" : ([title + ":"] + rows).joined(separator: "\n")
    }

    static func sections(_ sections: [String]) -> String {
        sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    /// Breaks each line of a text between words.
    static func wrapped(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
            var lines: [String] = []
            var line = margin
            for word in paragraph.split(separator: " ") {
                let extended = line == margin ? line + word : line + " " + word
                if extended.count > width, line != margin {
                    lines.append(line)
                    line = margin + word
                } else {
                    line = extended
                }
            }
            return (lines + [line]).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
