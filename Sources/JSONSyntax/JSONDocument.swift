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
