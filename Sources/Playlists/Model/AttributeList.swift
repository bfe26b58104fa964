/// The attributes of a tag in the order in which they stand (RFC 8216 §4.2).
package struct AttributeList: Equatable, Sendable {
    package struct Attribute: Equatable, Sendable {
        package let name: String
        /// Without quotes, variables replaced.
        package let value: String
        package let isQuoted: Bool

        package init(_ name: String, _ value: String, isQuoted: Bool) {
            self.name = name
            self.value = value
            self.isQuoted = isQuoted
        }
    }

    package var attributes: [Attribute]

    package init(_ attributes: [Attribute] = []) { self.attributes = attributes }

    package subscript(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

    package func without(_ names: String...) -> AttributeList {
        AttributeList(attributes.filter { !names.contains($0.name) })
    }
}
