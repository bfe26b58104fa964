/// Bytes of a text that are replaced by others.
package struct TextEdit: Sendable, Hashable {
    package let range: SourceRange
    package let replacement: String

    package init(_ range: SourceRange, _ replacement: String) {
        self.range = range
        self.replacement = replacement
    }
}

extension [TextEdit] {
    /// The edits of some fixes, in the order of the text. Of two fixes that overlap only the first one in the text: the other may no longer fit.
    package init(compatible fixes: [[TextEdit]]) {
        self = []
        var end = 0
        let inOrder = fixes.filter { !$0.isEmpty }.map { $0.sorted { $0.range.start < $1.range.start } }
            .sorted { $0[0].range.start < $1[0].range.start }
        for fix in inOrder where fix[0].range.start >= end {
            self += fix
            end = fix.reduce(end) { Swift.max($0, $1.range.end) }
        }
    }
}

extension [UInt8] {
    /// The text after the fixes of some findings, as far as they are compatible.
    package func applying(_ fixes: [[TextEdit]]) -> [UInt8] { applying([TextEdit](compatible: fixes)) }

    /// - Parameter edits: in the order of the text, and apart from each other.
    package func applying(_ edits: [TextEdit]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var position = 0
        for edit in edits {
            result += self[position..<edit.range.start]
            result += edit.replacement.utf8
            position = edit.range.end
        }
        return result + self[position...]
    }
}
