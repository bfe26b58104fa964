import JSONSyntax

/// A JSON Schema (draft 2020-12), or a part of one. Written as the literal that it is in JSON; keywords keep their order.
indirect enum JSONSchema: Sendable {
    case object([(key: String, value: JSONSchema)])
    case array([JSONSchema])
    case string(String)
    case integer(Int)
    case boolean(Bool)
    /// The text of a reference to a schema that stands once, under `$defs`.
    case definition(String, JSONSchema)

    /// The same schema, written under `$defs` and named where it is used.
    func shared(as name: String) -> JSONSchema { ["$ref": .definition(name, self)] }

    /// The same schema with further keywords behind its own, or in the place of those with the same name.
    func with(_ more: JSONSchema) -> JSONSchema {
        guard case .object(var keywords) = self, case .object(let others) = more else { return self }
        for other in others {
            if let index = keywords.firstIndex(where: { $0.key == other.key }) {
                keywords[index] = other
            } else {
                keywords.append(other)
            }
        }
        return .object(keywords)
    }

    /// The same schema with a description in front.
    func described(_ text: String) -> JSONSchema {
        (["description": .string(text)] as JSONSchema).with(self)
    }

    /// What is referred to anywhere in the schema, each once, in the order of its first use.
    var definitions: [(key: String, value: JSONSchema)] {
        var found: [(key: String, value: JSONSchema)] = []
        collectDefinitions(&found)
        return found
    }

    private func collectDefinitions(_ found: inout [(key: String, value: JSONSchema)]) {
        switch self {
        case .object(let keywords):
            for keyword in keywords { keyword.value.collectDefinitions(&found) }
        case .array(let elements):
            for element in elements { element.collectDefinitions(&found) }
        case .definition(let name, let schema):
            guard !found.contains(where: { $0.key == name }) else { return }
            found.append((name, schema))
            schema.collectDefinitions(&found)
        case .string, .integer, .boolean:
            return
        }
    }
}

extension JSONSchema: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    init(dictionaryLiteral elements: (String, JSONSchema)...) {
        self = .object(elements.map { (key: $0.0, value: $0.1) })
    }

    init(arrayLiteral elements: JSONSchema...) { self = .array(elements) }

    init(stringLiteral text: String) { self = .string(text) }

    init(integerLiteral integer: Int) { self = .integer(integer) }

    init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension JSONSchema: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let keywords):
            writer.object { object in
                for keyword in keywords { object.member(keyword.key, keyword.value) }
            }
        case .array(let elements): elements.write(to: &writer)
        case .string(let text): writer.string(text)
        case .integer(let integer): writer.integer(integer)
        case .boolean(let value): writer.bool(value)
        case .definition(let name, _): writer.string("#/$defs/\(name)")
        }
    }
}
