import Diagnostics
import JSONSyntax

/// How the objects of a list are written: what stands between their brackets, keys and values, taken from one of them.
struct JSONTextStyle {
    private(set) var opening = ""
    private(set) var colon = ": "
    private(set) var separator = ", "
    private(set) var closing = ""
    /// The brackets of `urls`, and what stands inside next to them.
    private var listOpening = "["
    private var listClosing = "]"

    /// - Parameter object: has at least two members, as every object has that names a source.
    init(of object: JSONValue) {
        var members = object.members
        guard let first = members.next(), let second = members.next() else { return }
        let document = object.document
        opening = document.text(from: object.range.start + 1, to: first.key.range.start)
        colon = document.text(from: first.key.range.end, to: first.value.range.start)
        separator = document.text(from: first.value.range.end, to: second.key.range.start)
        var lastEnd = second.value.range.end
        while let member = members.next() { lastEnd = member.value.range.end }
        closing = document.text(from: lastEnd, to: object.range.end - 1)
        guard let urls = object["urls"], let url = urls.elements.first(where: { _ in true }),
            let last = urls.lastElement
        else { return }
        listOpening = document.text(from: urls.range.start, to: url.range.start)
        listClosing = document.text(from: last.range.end, to: urls.range.end)
    }

    /// What a member that has a line of its own begins with; nil where they stand on one line.
    var lineStart: String? { Self.lineStart(after: separator) }

    /// What an element or a member begins with that has a line of its own, by what separates it from the one before.
    static func lineStart(after separator: String) -> String? {
        let space = separator.drop { $0 != "," }.dropFirst()
        return space.contains(where: \.isNewline) ? String(space) : nil
    }

    /// The same on one line.
    var inline: JSONTextStyle {
        var inline = self
        (inline.opening, inline.closing, inline.listOpening, inline.listClosing) = ("", "", "[", "]")
        if colon.contains(where: \.isNewline) { inline.colon = ": " }
        inline.separator = inline.colon == ":" ? "," : ", "
        return inline
    }

    /// - Parameter members: keys, and the text of their values.
    func object(_ members: [(key: String, value: String)]) -> String {
        "{" + opening + members.map { "\"\($0.key)\"\(colon)\($0.value)" }.joined(separator: separator) + closing + "}"
    }

    func urls(_ url: String) -> String { listOpening + Self.quoted(url) + listClosing }

    /// A string as JSON writes it.
    static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}

extension JSONDocument {
    func text(from start: Int, to end: Int) -> String { String(decoding: source.bytes[start..<end], as: UTF8.self) }
}

extension JSONValue {
    /// An array's.
    var lastElement: JSONValue? {
        var last: JSONValue?
        for element in elements { last = element }
        return last
    }

    /// Puts members behind one that the object has, written as that one is.
    func inserting(_ members: [(key: String, value: String)], behind anchor: String) -> TextEdit? {
        var (previous, found): (JSONMember?, JSONMember?)
        var separator = ", "
        for member in self.members {
            if let found {
                separator = document.text(from: found.value.range.end, to: member.key.range.start)
                break
            }
            if member.key.string == anchor {
                found = member
                if let previous {
                    separator = document.text(from: previous.value.range.end, to: member.key.range.start)
                    break
                }
            }
            previous = member
        }
        guard let found else { return nil }
        let colon = document.text(from: found.key.range.end, to: found.value.range.start)
        let text = members.map { "\(separator)\"\($0.key)\"\(colon)\($0.value)" }.joined()
        return TextEdit(SourceRange(at: found.value.range.end), text)
    }
}
