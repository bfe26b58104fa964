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
