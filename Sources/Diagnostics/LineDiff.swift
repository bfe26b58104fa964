import Platform

/// A unified diff of two texts that have the same number of lines, as fixes leave them: they change lines, and neither add nor remove any.
package struct LineDiff: Sendable {
    private let name: String
    private let old: [ArraySlice<UInt8>]
    private let new: [ArraySlice<UInt8>]
    private static let contextLines = 3

    package init(name: String, old: [UInt8], new: [UInt8]) {
        self.name = name
        self.old = old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        self.new = new.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    /// What `diff -u` would print, and `patch` takes unless something is masked; empty where nothing differs. Control characters in the lines are kept as they are.
    package var bytes: [UInt8] {
        precondition(old.count == new.count, "a fix added or removed a line")
        let changed = old.indices.filter { old[$0] != new[$0] }
        var hunks: [Range<Int>] = []
        for line in changed {
            let around = max(line - Self.contextLines, 0)..<min(line + Self.contextLines + 1, lineCount)
            if let last = hunks.last, around.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<around.upperBound
            } else {
                hunks.append(around)
            }
        }
        return hunks.isEmpty ? [] : diff(hunks)
    }

    /// A final line end doesn't begin another line.
    private var lineCount: Int { old.last == [] ? old.count - 1 : old.count }

    private func diff(_ hunks: [Range<Int>]) -> [UInt8] {
        var output = Array("--- \(escapedText(name))\n+++ \(escapedText(name))\n".utf8)
        for hunk in hunks {
            output += "@@ -\(hunk.lowerBound + 1),\(hunk.count) +\(hunk.lowerBound + 1),\(hunk.count) @@\n".utf8
            var line = hunk.lowerBound
            while line < hunk.upperBound {
                let run =
                    line..<(hunk[line...].firstIndex { (old[$0] == new[$0]) != (old[line] == new[line]) }
                    ?? hunk.upperBound)
                if old[line] == new[line] {
                    for line in run { append(" ", old, line, to: &output) }
                } else {
                    for line in run { append("-", old, line, to: &output) }
                    for line in run { append("+", new, line, to: &output) }
                }
                line = run.upperBound
            }
        }
        return output
    }

    private func append(_ mark: Unicode.Scalar, _ lines: [ArraySlice<UInt8>], _ line: Int, to output: inout [UInt8]) {
        output.append(UInt8(ascii: mark))
        output += lines[line]
        output.append(UInt8(ascii: "\n"))
        if line == lines.count - 1 { output += "\\ No newline at end of file\n".utf8 }
    }
}
