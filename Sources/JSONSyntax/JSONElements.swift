/// The elements of an array.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
    let document: JSONDocument
    var nextIndex: Int
    let end: Int

    package mutating func next() -> JSONValue? {
        guard nextIndex < end else { return nil }
        let element = JSONValue(document: document, index: nextIndex)
        nextIndex = element.node.subtreeEnd
        return element
    }
}
