import Platform

/// A unified diff of a text and what becomes of it.
package struct LineDiff: Sendable {
    /// Lines of the old text, and what stands in their place.
    private struct Change {
        let lines: Range<Int>
        let replacement: [ArraySlice<UInt8>]

        var isNone: Bool { lines.isEmpty && replacement.isEmpty }
    }

    private let name: String
    /// Each with its line end, which the last one may lack.
    private let old: [ArraySlice<UInt8>]
    /// In the order of the text, and apart.
    private let changes: [Change]
    private static let contextLines = 3

    /// - Parameters:
    ///   - old: a text.
    ///   - new: another one, of as many lines where fixes made it.
    package init(name: String, old: [UInt8], new: [UInt8]) {
        let (old, new) = (Self.lines(old), Self.lines(new))
        self.name = name
        self.old = old
        guard old.count == new.count else {
            changes = [Self.change(of: old.indices, in: old, to: new)]
            return
        }
        var changes: [Change] = []
        var line = 0
        while let start = old[line...].indices.first(where: { old[$0] != new[$0] }) {
            line = old[start...].indices.first { old[$0] == new[$0] } ?? old.count
            changes.append(Change(lines: start..<line, replacement: Array(new[start..<line])))
        }
        self.changes = changes
    }

    /// - Parameters:
    ///   - text: the old one.
    ///   - edits: what makes the new one of it, in the order of the text and apart.
    package init(name: String, of text: [UInt8], edits: [TextEdit]) {
        self.name = name
        let old = Self.lines(text)
        self.old = old
        guard let lastLine = old.indices.last else {
            changes = [Self.change(of: 0..<0, in: old, to: Self.lines(text.applying(edits)))]
            return
        }
        var changes: [Change] = []
        var rest = edits[...]
        var line = 0
        while let first = rest.first {
            line = Self.line(of: first.range.start, from: line, in: old)
            let start = line
            var new: [UInt8] = []
            var position = old[start].startIndex
            // All that begins on the lines of the one before.
            while let edit = rest.first, line == lastLine || edit.range.start < old[line].endIndex {
                new += text[position..<edit.range.start] + Array(edit.replacement.utf8)
                position = edit.range.end
                line = Self.line(of: position, from: line, in: old)
                rest = rest.dropFirst()
            }
            new += text[position..<old[line].endIndex]
            changes.append(Self.change(of: start..<line + 1, in: old, to: Self.lines(new)))
        }
        self.changes = changes.filter { !$0.isNone }
    }

    private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = text[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? lines : lines + [rest]
    }

    /// The line that holds an offset, its end included; the last one for the end of the text.
    private static func line(of offset: Int, from start: Int, in lines: [ArraySlice<UInt8>]) -> Int {
        lines[start...].firstIndex { offset < $0.endIndex } ?? lines.count - 1
    }

    /// Without the lines that stay at the beginning and at the end.
    private static func change(
        of lines: Range<Int>, in old: [ArraySlice<UInt8>], to new: [ArraySlice<UInt8>]
    ) -> Change {
        var (lines, new) = (lines, new[...])
        while let first = new.first, !lines.isEmpty, first == old[lines.lowerBound] {
            (lines, new) = (lines.dropFirst(), new.dropFirst())
        }
        while let last = new.last, !lines.isEmpty, last == old[lines.upperBound - 1] {
            (lines, new) = (lines.dropLast(), new.dropLast())
        }
        return Change(lines: lines, replacement: Array(new))
    }

    /// What `diff -u` would print, and `patch` takes unless something is masked; empty where nothing differs. Control characters in the lines are
    /// kept as they are.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        var added = 0
        var rest = changes[...]
        while let first = rest.first {
            var hunk = [first]
            var end = first.lines.upperBound
            while let next = rest.dropFirst(hunk.count).first, next.lines.lowerBound <= end + 2 * Self.contextLines {
                hunk.append(next)
                end = next.lines.upperBound
            }
            rest = rest.dropFirst(hunk.count)
            let start = max(first.lines.lowerBound - Self.contextLines, 0)
            added += append(hunk, of: start..<min(end + Self.contextLines, old.count), after: added, to: &output)
        }
        // A name with a blank ends with a tab, as diff writes it: otherwise patch looks for a file that is called as the part before the blank.
        let name = escapedText(name) + (name.utf8.contains(UInt8(ascii: " ")) ? "\t" : "")
        return output.isEmpty ? [] : Array("--- \(name)\n+++ \(name)\n".utf8) + output
    }

    /// - Parameter added: how many lines more the new text has before these.
    /// - Returns: how many lines more it has among them.
    private func append(
        _ hunk: [Change], of lines: Range<Int>, after added: Int, to output: inout [UInt8]
    ) -> Int {
        let more = hunk.reduce(0) { $0 + $1.replacement.count - $1.lines.count }
        let spans = [
            Self.span(lines.lowerBound, lines.count), Self.span(lines.lowerBound + added, lines.count + more),
        ]
        output += "@@ -\(spans[0]) +\(spans[1]) @@\n".utf8
        var line = lines.lowerBound
        for change in hunk {
            for index in line..<change.lines.lowerBound { Self.append(" ", old[index], to: &output) }
            for index in change.lines { Self.append("-", old[index], to: &output) }
            for new in change.replacement { Self.append("+", new, to: &output) }
            line = change.lines.upperBound
        }
        for index in line..<lines.upperBound { Self.append(" ", old[index], to: &output) }
        return more
    }

    /// Lines count from 1; where there are none it is the one before that is told.
    private static func span(_ start: Int, _ count: Int) -> String { "\(count == 0 ? start : start + 1),\(count)" }

    private static func append(_ mark: Unicode.Scalar, _ line: ArraySlice<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: mark))
        output += line
        if line.last != UInt8(ascii: "\n") { output += "\n\\ No newline at end of file\n".utf8 }
    }
}
