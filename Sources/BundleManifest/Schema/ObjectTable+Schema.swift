extension ObjectTable {
    /// What decoding by this table takes: the keys, those that start with `x-`, and by kind which ones must and which ones can't be there.
    var schema: JSONSchema {
        let required = fields.filter { $0.isRequired && $0.kinds.isAll }.map { JSONSchema.string($0.name) }
        var keywords: JSONSchema = ["properties": .object(fields.map { ($0.name, $0.schema) })]
        if !required.isEmpty { keywords = keywords.with(["required": .array(required)]) }
        keywords = keywords.with(["patternProperties": ["^x-": true], "additionalProperties": false])
        guard let kindKey else { return keywords }
        return keywords.with(["allOf": .array(BundleKind.allCases.map { rule(for: $0, by: kindKey) })])
    }

    private func rule(for kind: BundleKind, by key: String) -> JSONSchema {
        let required = fields.filter { $0.isRequired && !$0.kinds.isAll && $0.kinds.contains(kind) }
        let foreign = fields.filter { !$0.kinds.contains(kind) }
        let isKind = JSONSchema.object([(key, ["const": .string(kind.rawValue)] as JSONSchema)])
        return [
            "if": ["properties": isKind, "required": [.string(key)]],
            "then": [
                "required": .array(required.map { .string($0.name) }),
                "properties": .object(foreign.map { ($0.name, false) }),
            ],
        ]
    }
}
