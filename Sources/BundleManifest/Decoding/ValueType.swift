import Diagnostics
import JSONSyntax

/// How values of one type are read: what messages call it, what a schema says of it, and the decoding. Decoding reports what is wrong and
/// then gives nil.
struct ValueType<Value: Sendable>: Sendable {
    /// "a string", "an array of URLs".
    let expected: String
    let schema: JSONSchema
    let decode: @Sendable (JSONValue, inout DecodingContext) -> Value?

    init(
        _ expected: String, schema: JSONSchema,
        decode: @escaping @Sendable (JSONValue, inout DecodingContext) -> Value?
    ) {
        self.expected = expected
        self.schema = schema
        self.decode = decode
    }

    /// For types with one kind of JSON value: reports any other kind.
    /// - Parameters:
    ///   - elements: of an array: what kind its elements are.
    ///   - schema: what it says beside the kind, or instead of it.
    ///   - form: an example, where the kind alone doesn't tell how a value is written.
    init(
        _ expected: String, _ kind: JSONKind, elements: JSONKind? = nil, schema: JSONSchema = [:], form: String? = nil,
        decode: @escaping @Sendable (JSONValue, inout DecodingContext) -> Value?
    ) {
        self.init(expected, schema: (["type": .string("\(kind)")] as JSONSchema).with(schema)) { value, context in
            guard value.kind == kind else {
                context.reportType(of: value, expected, kind, elements: elements, form: form)
                return nil
            }
            return decode(value, &context)
        }
    }

    func map<Result: Sendable>(_ transform: @escaping @Sendable (Value) -> Result) -> ValueType<Result> {
        ValueType<Result>(expected, schema: schema) { [decode] value, context in
            decode(value, &context).map(transform)
        }
    }

    /// The same type, whose schema is written once and referred to.
    func shared(as name: String) -> Self { Self(expected, schema: schema.shared(as: name), decode: decode) }

    /// Also takes null, which is nil.
    static func orNull<Wrapped>(_ type: ValueType<Wrapped>) -> Self where Value == Wrapped? {
        Self(type.expected + " or null", schema: ["anyOf": [type.schema, ["type": "null"]]]) { value, context in
            value.isNull ? .some(nil) : type.decode(value, &context)
        }
    }

    /// Keeps the place of the value.
    static func located<Inner>(_ type: ValueType<Inner>) -> Self where Value == Located<Inner> {
        Self(type.expected, schema: type.schema) { [decode = type.decode] value, context in
            decode(value, &context).map { Located(value: $0, place: value) }
        }
    }

    // MARK: Lists and objects

    /// Inlined, so that what each list is decoded by knows the type of its elements: looking that up takes longer than a short list.
    /// - Parameters:
    ///   - plural: "URLs", for "an array of URLs".
    ///   - kind: what kind the elements are.
    @inline(__always)
    static func list<Element>(
        of element: ValueType<Element>, _ plural: String, _ kind: JSONKind = .string, atLeast minimum: Int = 0
    ) -> Self where Value == [Element] {
        var schema: JSONSchema = ["items": element.schema]
        if minimum > 0 { schema = schema.with(["minItems": .integer(minimum)]) }
        let list = LongList(element: element)
        return Self("an array of \(plural)", .array, elements: kind, schema: schema) { value, context in
            let elements = list.decode(value, &context)
            if elements.count < minimum, value.elementCount < minimum {
                context.report(.emptyList, "expected at least \(minimum) of \(plural)", at: value)
            }
            return elements
        }
    }

    static func object(_ table: ObjectTable<Value>) -> Self where Value: Draft {
        Self(table.noun, .object, schema: table.schema, form: table.form) { value, context in
            table.decode(value, &context)
        }
    }
}

extension ValueType<String> {
    /// Any text but the empty one.
    static let text = Self("a string", .string, schema: ["minLength": 1]) { value, context in
        guard let text = value.string, !text.isEmpty else {
            context.report(.emptyText, "the text can't be empty", at: value)
            return nil
        }
        return text
    }

    /// A string that a rule accepts or has a problem with.
    static func checked(
        _ expected: String, schema: JSONSchema = [:], _ check: @escaping @Sendable (String) throws(Problem) -> Void
    ) -> Self {
        Self(expected, .string, schema: schema) { value, context in
            let text = value.string ?? ""
            do throws(Problem) {
                try check(text)
                return text
            } catch {
                context.report(error, at: value)
                return nil
            }
        }
    }
}

extension ValueType<Bool> {
    static let boolean = Self("true or false", .boolean) { value, _ in value.bool }
}

extension ValueType<Int> {
    /// A whole number from here to 2^53 - 1.
    /// - Parameter unit: what it counts.
    private static func integer(atLeast minimum: Int, of unit: String? = nil) -> Self {
        let expected =
            unit.map { "a whole number of \($0), at least \(minimum)" } ?? "a whole number of at least \(minimum)"
        let schema: JSONSchema = [
            "type": "integer", "minimum": .integer(minimum), "maximum": .integer(JSONValue.largestInteger),
        ]
        return Self(expected, .number, schema: schema) { value, context in
            guard let integer = value.integer, integer >= minimum else {
                context.reportInteger(value, expected)
                return nil
            }
            return integer
        }
    }

    /// 0 to 2^53 - 1.
    static let count = integer(atLeast: 0)
    /// 1 to 2^53 - 1.
    static let positive = integer(atLeast: 1)
    /// 0 to 2^53 - 1 bytes.
    static let bytes = integer(atLeast: 0, of: "bytes")
    /// 1 to 2^53 - 1 bytes.
    static let limitBytes = integer(atLeast: 1, of: "bytes")
    /// 0 to 2^53 - 1 bits a second.
    static let leastBandwidth = integer(atLeast: 0, of: "bits a second")
    /// 1 to 2^53 - 1 bits a second.
    static let mostBandwidth = integer(atLeast: 1, of: "bits a second")
}

extension ValueType<Double> {
    /// - Parameter unit: what it counts.
    static func number(_ range: ClosedRange<Int>, of unit: String? = nil) -> Self {
        let expected = "a number \(unit.map { "of \($0) " } ?? "")from \(range.lowerBound) to \(range.upperBound)"
        let schema: JSONSchema = ["minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
        return Self(expected, .number, schema: schema) { value, context in
            guard let number = value.double, number >= Double(range.lowerBound), number <= Double(range.upperBound)
            else {
                context.report(.badNumber, "expected \(expected), found \(value.numberForMessage)", at: value)
                return nil
            }
            return number
        }
    }
}

extension ValueType {
    /// One of the words of an enumeration.
    static func word() -> Self where Value: RawRepresentable<String> & CaseIterable {
        let words = Value.allCases.map(\.rawValue)
        let table = WordTable<Value>()
        return Self(
            "one of \(words.joined(separator: ", "))", .string, schema: ["enum": .array(words.map(JSONSchema.string))]
        ) { value, context in
            guard let word = table.value(of: value) else {
                let text = value.string ?? ""
                context.report(
                    .unknownValue, "\(text.quotedForMessage()) is none of \(words.joined(separator: ", "))", at: value,
                    hint: nearestMatch(to: text, among: words).map { "did you mean \"\($0)\"?" })
                return nil
            }
            return word
        }
    }

    /// A string with a form of its own.
    static func parsed(
        _ expected: String, _ rule: ManifestRule, hint: String, schema: JSONSchema,
        _ parse: @escaping @Sendable (String) -> Value?
    ) -> Self {
        Self(expected, .string, schema: schema) { value, context in
            let text = value.string ?? ""
            guard let parsed = parse(text) else {
                context.report(rule, "\(text.quotedForMessage()) is not \(expected)", at: value, hint: hint)
                return nil
            }
            return parsed
        }
    }
}
