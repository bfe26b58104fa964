import Platform

/// A unified diff of a text and what becomes of it.
package struct LineDiff: Sendable {
    /// Lines of the old text, and what stands in their place.
    private struct Change {
        let lines: Range<Int>
        let replacement: [ArraySlice<UInt8>]
    }

    private let name: String
    private let old: [ArraySlice<UInt8>]
    /// In the order of the text, and apart.
    private let changes: [Change]
    private static let contextLines = 3

    /// - Parameters:
    ///   - old: a text.
    ///   - new: another one of as many lines, as fixes leave it.
    package init(name: String, old: [UInt8], new: [UInt8]) {
        let (old, new) = (Self.lines(old), Self.lines(new))
        precondition(old.count == new.count, "a fix added or removed a line")
        self.name = name
        self.old = old
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
        old = Self.lines(text)
        var changes: [Change] = []
        var rest = edits[...]
        var line = 0
        while let first = rest.first {
            line = Self.line(of: first.range.start, from: line, in: old)
            let start = line
            var new = Array(text[old[start].startIndex..<first.range.start])
            var position = first.range.start
            // All that begins on the lines of the one before.
            while let edit = rest.first, edit.range.start <= old[line].endIndex {
                new += text[position..<edit.range.start] + Array(edit.replacement.utf8)
                position = edit.range.end
                line = Self.line(of: position, from: line, in: old)
                rest = rest.dropFirst()
            }
            new += text[position..<old[line].endIndex]
            changes.append(Self.change(of: start..<line + 1, in: old, to: Self.lines(new)))
        }
        self.changes = changes
    }

    private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    /// The line that holds an offset, its end included.
    private static func line(of offset: Int, from start: Int, in lines: [ArraySlice<UInt8>]) -> Int {
        lines[start...].firstIndex { offset <= $0.endIndex } ?? lines.count - 1
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

    /// What `diff -u` would print, and `patch` takes unless something is masked; empty where nothing differs. Control characters in the lines are kept as they are.
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
            let lines =
                max(
                    first.lines.lowerBound - Self.contextLines, 0)..<max(
                    end, min(end + Self.contextLines, lineCount))
            added += append(hunk, of: lines, after: added, to: &output)
        }
        // A name with a blank ends with a tab, as diff writes it: otherwise patch looks for a file that is called as the part before the blank.
        let name = escapedText(name) + (name.utf8.contains(UInt8(ascii: " ")) ? "\t" : "")
        return output.isEmpty ? [] : Array("--- \(name)\n+++ \(name)\n".utf8) + output
    }

    /// A final line end doesn't begin another line.
    private var lineCount: Int { old.last == [] ? old.count - 1 : old.count }

    /// - Parameter added: how many lines more the new text has before these.
    /// - Returns: how many lines more it has among them.
    private func append(
        _ hunk: [Change], of lines: Range<Int>, after added: Int, to output: inout [UInt8]
    ) -> Int {
        let more = hunk.reduce(0) { $0 + $1.replacement.count - $1.lines.count }
        let start = lines.lowerBound + 1
        output += "@@ -\(start),\(lines.count) +\(start + added),\(lines.count + more) @@\n".utf8
        var line = lines.lowerBound
        for change in hunk {
            for index in line..<change.lines.lowerBound { append(" ", old[index], isLast(index), to: &output) }
            for index in change.lines { append("-", old[index], isLast(index), to: &output) }
            for (index, new) in change.replacement.enumerated() {
                let isLast = change.lines.upperBound == old.count && index == change.replacement.count - 1
                append("+", new, isLast, to: &output)
            }
            line = change.lines.upperBound
        }
        for index in line..<lines.upperBound { append(" ", old[index], isLast(index), to: &output) }
        return more
    }

    private func isLast(_ line: Int) -> Bool { line == old.count - 1 }

    private func append(
        _ mark: Unicode.Scalar, _ line: ArraySlice<UInt8>, _ isLast: Bool, to output: inout [UInt8]
    ) {
        output.append(UInt8(ascii: mark))
        output += line
        output.append(UInt8(ascii: "\n"))
        if isLast { output += "\\ No newline at end of file\n".utf8 }
    }
}
