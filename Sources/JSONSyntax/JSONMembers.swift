/// A key and its value.
package struct JSONMember: Sendable {
    /// A string.
    package let key: JSONValue
    package let value: JSONValue
}

/// The members of an object.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    let document: JSONDocument
    var nextIndex: Int
    let end: Int

    package mutating func next() -> JSONMember? {
        guard nextIndex < end else { return nil }
        let value = JSONValue(document: document, index: nextIndex + 1)
        let member = JSONMember(key: JSONValue(document: document, index: nextIndex), value: value)
        nextIndex = value.node.subtreeEnd
        return member
    }
}
