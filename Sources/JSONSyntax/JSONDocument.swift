import Diagnostics

/// A parsed JSON text: the bytes, and a flat tree of ranges into them.
///
/// Strings and numbers are decoded when asked for. A node takes 12 bytes, so a text of 163 MB with twelve million values and keys takes
/// 307 MB all in all.
///
/// Where RFC 8259 leaves a choice: numbers of any size and precision are kept as they are written; byte order marks, encodings other than
/// UTF-8 and halves of surrogate pairs are refused; depth and size have limits. Keys may repeat: a format that forbids that asks for
/// ``duplicateKeys(limit:)``.
package final class JSONDocument: Sendable {
    package let source: SourceText
    let nodes: [JSONNode]

    /// - Throws: every syntax error that can be told apart, in the order of the text.
    package init(_ source: SourceText, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        var parser = JSONParser(source.bytes, limits: limits)
        parser.parse()
        guard parser.errors.isEmpty else {
            throw JSONSyntaxError(source: source, diagnostics: parser.errors.sortedByPosition())
        }
        self.source = source
        self.nodes = parser.nodes
    }

    /// A text that is known to be JSON as far as it matters.
    init(_ source: SourceText, nodes: [JSONNode]) {
        self.source = source
        self.nodes = nodes
    }

    /// - Parameter name: what error messages call the text, such as its path.
    package convenience init(
        _ bytes: [UInt8], name: String, limits: JSONLimits = JSONLimits()
    ) throws(JSONSyntaxError) {
        try self.init(SourceText(name: name, bytes: bytes), limits: limits)
    }

    package var root: JSONValue { JSONValue(document: self, index: 0) }

    /// The same document as an object of its own: two threads that count references to one object slow each other down.
    package func twin() -> JSONDocument { JSONDocument(source, nodes: nodes) }
}

/// One value or key. Children follow their container; in an object a key's value comes right after the key.
///
/// Three words: a manifest has millions of these, and filling memory takes as long as parsing does.
struct JSONNode {
    let start: UInt32
    /// The byte after the last one.
    var end: UInt32
    /// The kind in the lowest three bits, then whether there are escapes, and above these the end of the subtree.
    private var packed: UInt32

    /// As many as the end of a subtree can count.
    static let mostNodes = 1 << 27

    /// - Parameter subtreeEnd: hardly more than `mostNodes`.
    init(start: UInt32, end: UInt32, subtreeEnd: Int, kind: JSONKind, hasEscapes: Bool) {
        (self.start, self.end) = (start, end)
        packed = UInt32(truncatingIfNeeded: subtreeEnd) << 4 | (hasEscapes ? 8 : 0) | UInt32(kind.rawValue)
    }

    /// The index after the last node inside this one: where its next sibling is.
    var subtreeEnd: Int {
        get { Int(packed >> 4) }
        set { packed = UInt32(truncatingIfNeeded: newValue) << 4 | packed & 0xF }
    }

    /// Strings and keys: whether there is a backslash, so that the text isn't simply the bytes between the quotes.
    var hasEscapes: Bool { packed & 8 != 0 }

    var kind: JSONKind { JSONKind(rawValue: UInt8(truncatingIfNeeded: packed & 7)) ?? .null }

    var range: SourceRange { SourceRange(start: Int(start), end: Int(end)) }
}

package enum JSONKind: UInt8, Sendable {
    case object, array, string, number, boolean, null

    /// "an object", "a string", for messages.
    package var described: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "null"
        }
    }
}

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
