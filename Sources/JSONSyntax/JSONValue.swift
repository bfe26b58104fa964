import Diagnostics

/// A place in a ``JSONDocument``: as cheap to pass around as a reference and a number.
package struct JSONValue: Sendable {
    package let document: JSONDocument
    let index: Int

    var node: JSONNode { document.nodes[index] }

    package var kind: JSONKind { node.kind }

    /// The bytes of the value, quotes and brackets included.
    package var range: SourceRange { node.range }

    /// The value's bytes as they are written.
    package var sourceBytes: ArraySlice<UInt8> {
        let node = node
        return document.source.bytes[Int(node.start)..<Int(node.end)]
    }

    package var isNull: Bool { kind == .null }

    package var bool: Bool? {
        let node = node
        return node.kind == .boolean ? document.source.bytes[Int(node.start)] == UInt8(ascii: "t") : nil
    }

    /// A string's text, escapes decoded.
    package var string: String? {
        kind == .string ? withContent { String(decoding: $0, as: UTF8.self) } : nil
    }

    /// Whether this is a string with exactly this text, in UTF-8. Allocates nothing unless there are escapes.
    package func isString(_ text: [UInt8]) -> Bool { text.withUnsafeBufferPointer(isString) }

    private func isString(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let node = node
        guard node.kind == .string else { return false }
        // Most comparisons end here: keys of one object mostly differ in length.
        guard node.hasEscapes || Int(node.end - node.start) - 2 == text.count else { return false }
        return withContent { $0.elementsEqual(text) }
    }

    /// Calls `body` with what is between the quotes of a string, escapes decoded; of no meaning for other kinds. Copies nothing, and counts no
    /// reference, unless there are escapes.
    package func withContent<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let node = node
        guard !node.hasEscapes else { return contentBytes.withUnsafeBufferPointer(body) }
        return document.source.bytes.withUnsafeBufferPointer { bytes in
            body(UnsafeBufferPointer(rebasing: bytes[Int(node.start) + 1..<Int(node.end) - 1]))
        }
    }

    /// What is between the quotes of a string, escapes decoded; of no meaning for other kinds.
    package var contentBytes: ArraySlice<UInt8> { document.content(of: node) }

    /// A number as it is written, `-1.50E+2`.
    package var numberText: String? {
        kind == .number ? String(decoding: sourceBytes, as: UTF8.self) : nil
    }

    /// The exact integers of `0...largestInteger`, written as plain decimals: `12`, but not `1.2e1` or `12.0`.
    package var integer: Int? {
        let node = node
        guard node.kind == .number else { return nil }
        var value = 0
        for offset in Int(node.start)..<Int(node.end) {
            let byte = document.source.bytes[offset]
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
            // Can't overflow: value is at most 2^53 - 1 here.
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value <= Self.largestInteger else { return nil }
        }
        return value
    }

    /// 2^53 - 1: up to here every reader of JSON agrees about integers (RFC 8259, section 6).
    package static let largestInteger = 1 << 53 - 1

    /// A number as the nearest `Double`, or nil when it is out of range.
    package var double: Double? {
        guard let number = numberText.flatMap(Double.init), number.isFinite else { return nil }
        return number
    }

    /// How many elements an array has; 0 for other kinds. Walks over them, and makes none.
    package var elementCount: Int {
        guard kind == .array else { return 0 }
        var count = 0
        var next = index + 1
        let end = node.subtreeEnd
        while next < end {
            next = document.nodes[next].subtreeEnd
            count += 1
        }
        return count
    }

    /// The same place in a ``JSONDocument/twin()`` of its document.
    package func moved(to twin: JSONDocument) -> JSONValue { JSONValue(document: twin, index: index) }

    /// An array's elements in order; nothing for other kinds.
    package var elements: JSONElements {
        JSONElements(document: document, nextIndex: index + 1, end: kind == .array ? node.subtreeEnd : index + 1)
    }

    /// An object's members in order; nothing for other kinds.
    package var members: JSONMembers {
        JSONMembers(document: document, nextIndex: index + 1, end: kind == .object ? node.subtreeEnd : index + 1)
    }

    /// The first member with this key. Looks through the members one by one.
    package subscript(key: String) -> JSONValue? {
        var key = key
        return key.withUTF8 { bytes in members.first { $0.key.isString(bytes) }?.value }
    }
}
