package enum JSONKind: UInt8, Sendable {
    case object, array, string, number, boolean, null

    /// "an object", "a string", for messages.
    package var described: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "null"
        }
    }
}
