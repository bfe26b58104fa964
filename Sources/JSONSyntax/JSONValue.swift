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

/// Where a value is in a document that whoever keeps the place knows, in four bytes: for those who keep a million of them.
package struct JSONPlace: Sendable {
    fileprivate let index: UInt32
}

extension JSONValue {
    /// What ``JSONDocument/value(at:)`` finds this value by, in its document and in twins of that.
    package var place: JSONPlace { JSONPlace(index: UInt32(truncatingIfNeeded: index)) }
}

extension JSONDocument {
    /// - Parameter place: of one of the document's values.
    package func value(at place: JSONPlace) -> JSONValue { JSONValue(document: self, index: Int(place.index)) }
}

/// A key and its value.
package struct JSONMember: Sendable {
    /// A string.
    package let key: JSONValue
    package let value: JSONValue
}

/// The elements of an array.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
    fileprivate let document: JSONDocument
    fileprivate var nextIndex: Int
    fileprivate let end: Int

    package mutating func next() -> JSONValue? {
        guard nextIndex < end else { return nil }
        let element = JSONValue(document: document, index: nextIndex)
        nextIndex = element.node.subtreeEnd
        return element
    }
}

/// The members of an object.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    fileprivate let document: JSONDocument
    fileprivate var nextIndex: Int
    fileprivate let end: Int

    package mutating func next() -> JSONMember? {
        guard nextIndex < end else { return nil }
        let value = JSONValue(document: document, index: nextIndex + 1)
        let member = JSONMember(key: JSONValue(document: document, index: nextIndex), value: value)
        nextIndex = value.node.subtreeEnd
        return member
    }
}

extension JSONDocument {
    /// What is between the quotes of a string, escapes decoded.
    func content(of string: JSONNode) -> ArraySlice<UInt8> {
        let content = source.bytes[Int(string.start) + 1..<Int(string.end) - 1]
        return string.hasEscapes ? unescaped(content) : content
    }
}

/// Resolves the escapes of a string's content, which the parser has checked.
private func unescaped(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text: ArraySlice<UInt8> = []
    text.reserveCapacity(content.count)
    var rest = content
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
            text.append(byte)
            continue
        }
        switch escape {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: popUnicodeEscape(&rest).utf8)
        default: text.append(escape)
        }
    }
    return text
}

/// Takes what follows `\u`, and the second escape of a surrogate pair.
private func popUnicodeEscape(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
    var units = [popHexUnit(&rest)]
    if UTF16.isLeadSurrogate(units[0]) {
        rest = rest.dropFirst(2)
        units.append(popHexUnit(&rest))
    }
    return String(decoding: units, as: UTF16.self).unicodeScalars.first ?? "\u{FFFD}"
}

private func popHexUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
    let digits = rest.prefix(4)
    rest = rest.dropFirst(4)
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD
}
