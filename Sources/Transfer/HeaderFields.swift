import Platform

/// The header fields of a message in the order they came (RFC 9110 §5); names are compared without regard to case.
public struct HeaderFields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One field line.
    public struct Field: Hashable, Sendable {
        /// As it was written; compared without regard to case.
        public let name: String
        /// Without blanks around it.
        public let value: String
    }

    /// All field lines, in order.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// These fields, in this order; those that `append` would not take are left out.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// Adds a field line behind the others. A name or value that would break the message (RFC 9110 §5.1, §5.5) is not taken.
    /// - Returns: whether it was taken.
    @discardableResult
    public mutating func append(_ name: String, _ value: String) -> Bool {
        guard FieldName.isToken(name), Self.isValue(value) else { return false }
        fields.append(Field(name: name, value: value))
        return true
    }

    /// Whether a value leaves the message whole (RFC 9110 §5.5).
    static func isValue(_ text: String) -> Bool {
        text.withBytes { $0.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 } }
    }

    /// The value of the first field of that name.
    public subscript(name: String) -> String? {
        fields.first { Self.namesEqual($0.name, name) }?.value
    }

    /// All values of that name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { Self.namesEqual($0.name, name) }.map(\.value)
    }

    private static func namesEqual(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withBytes { left in
            right.withBytes { right in left.indices.allSatisfy { lowercased(left[$0]) == lowercased(right[$0]) } }
        }
    }

    private static func lowercased(_ character: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character) ? character | 0x20 : character
    }

    /// The first field that is of one of these names, which are in lower case.
    package func first(of names: Set<String>) -> Field? { fields.first { names.contains($0.name.lowercased()) } }
}

extension String {
    /// Its bytes side by side: a view of them looks each one up.
    fileprivate func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = self
        return text.withUTF8(body)
    }
}
