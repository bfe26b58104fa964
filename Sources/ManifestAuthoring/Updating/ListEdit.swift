import Diagnostics
import JSONSyntax

/// The change of a list in a text: elements that go, and elements that come behind the last.
struct ListEdit {
    private let list: JSONValue
    /// What stands between two elements.
    let separator: String

    init(_ list: JSONValue) {
        self.list = list
        var (previous, last): (JSONValue?, JSONValue?)
        for element in list.elements { (previous, last) = (last, element) }
        guard let last else {
            separator = ", "
            return
        }
        if let previous {
            separator = list.document.text(from: previous.range.end, to: last.range.start)
        } else {
            let space = list.document.text(from: list.range.start + 1, to: last.range.start)
            separator = "," + (space.isEmpty ? " " : space)
        }
    }

    /// What an element that has a line of its own begins with; nil where they stand on one line.
    var lineStart: String? { JSONTextStyle.lineStart(after: separator) }

    /// - Parameters:
    ///   - removed: where the elements begin that go.
    ///   - added: the text of those that come.
    func edits(removing removed: Set<Int>, adding added: [String]) -> [TextEdit] {
        var edits: [TextEdit] = []
        var (runStart, keptEnd): (Int?, Int?)
        var (start, end) = (list.range.start + 1, list.range.start + 1)
        var isFirst = true
        for element in list.elements {
            if isFirst { (start, isFirst) = (element.range.start, false) }
            end = element.range.end
            if removed.contains(element.range.start) {
                runStart = runStart ?? element.range.start
                continue
            }
            if let first = runStart { edits.append(TextEdit(SourceRange(start: first, end: element.range.start), "")) }
            (runStart, keptEnd) = (nil, end)
        }
        // With what goes from the end goes the comma before it.
        let tail = SourceRange(start: keptEnd ?? start, end: end)
        let text = added.joined(separator: separator)
        let replacement = keptEnd == nil || added.isEmpty ? text : separator + text
        if tail.start != tail.end || !replacement.isEmpty { edits.append(TextEdit(tail, replacement)) }
        return edits
    }
}
