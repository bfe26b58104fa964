/// Header fields in the order they came, looked up without regard to case (RFC 9110 §5.1).
package struct Headers: Sendable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    package private(set) var fields: [(name: String, value: String)] = []

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0, value: $1) }
    }

    /// The first value of a field; setting replaces every one, and `nil` removes them.
    package subscript(name: String) -> String? {
        get { fields.first { equalsIgnoringCase($0.name, name) }?.value }
        set {
            fields.removeAll { equalsIgnoringCase($0.name, name) }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    package func values(of name: String) -> [String] {
        fields.filter { equalsIgnoringCase($0.name, name) }.map(\.value)
    }

    package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    package mutating func merge(_ others: Headers) {
        for (name, value) in others.fields { self[name] = value }
    }

    package var description: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
}

private func equalsIgnoringCase(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }
