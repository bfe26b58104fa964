import JSONSyntax

/// The words of an enumeration, as strings of JSON are compared with them.
struct WordTable<Value: RawRepresentable<String> & CaseIterable & Sendable>: Sendable {
    private let words: [(bytes: [UInt8], value: Value)] = Value.allCases.map { (Array($0.rawValue.utf8), $0) }

    /// Nil for what is none of them.
    func value(of json: JSONValue) -> Value? { words.first { json.isString($0.bytes) }?.value }
}
