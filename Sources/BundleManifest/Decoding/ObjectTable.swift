import Diagnostics
import JSONSyntax

/// What an object is decoded into before it is known to be complete.
protocol Draft: Sendable {
    init()
}

/// One key that an object may have.
struct Field<Target: Draft>: Sendable {
    let name: String
    let isRequired: Bool
    /// What its value is, for messages.
    let expected: String
    /// The kinds of bundle that have this key.
    let kinds: BundleKinds
    /// What the value may be, and what it is for.
    let schema: JSONSchema
    fileprivate let decode: Decoder

    fileprivate typealias Decoder = @Sendable (JSONValue, inout Target, inout DecodingContext) -> Void

    enum Presence: Sendable {
        case required, optional
    }

    /// - Parameter about: what the key is for, and what holds without it.
    init<Value>(
        _ name: String, _ type: ValueType<Value>, _ presence: Presence = .optional,
        of kinds: BundleKinds = .all, about description: String,
        set: @escaping @Sendable (inout Target, Value) -> Void
    ) {
        self.name = name
        self.isRequired = presence == .required
        self.expected = type.expected
        self.kinds = kinds
        self.schema = type.schema.described(description)
        // The function alone: it is called for every member of a text, and the whole type is costly to copy.
        self.decode = { [decode = type.decode] value, target, context in
            if let decoded = decode(value, &context) { set(&target, decoded) }
        }
    }
}

/// The keys of one sort of object. The tables are all there is to know about the shape of a manifest: decoding follows them, and so can
/// whatever else describes that shape.
struct ObjectTable<Target: Draft>: Sendable {
    /// "a bundle", for messages.
    let noun: String
    /// The key whose word says which kind of bundle this is, where keys depend on that.
    let kindKey: String?
    let fields: [Field<Target>]
    /// The names of all fields, one after the other, and where each ends: one piece of memory to look through for each key of a text.
    private let names: [UInt8]
    private let nameEnds: [Int]
    /// What is asked for each key of a text stands apart: a whole field is costly to copy.
    private let decoders: [Field<Target>.Decoder]
    private let ownKinds: [BundleKinds]
    private let required: [(index: Int, kinds: BundleKinds)]
    private let kinds = WordTable<BundleKind>()

    init(_ noun: String, kindKey: String? = nil, _ fields: [Field<Target>]) {
        self.noun = noun
        self.kindKey = kindKey
        self.fields = fields
        names = fields.flatMap(\.name.utf8)
        nameEnds = fields.indices.map { fields[...$0].reduce(0) { $0 + $1.name.utf8.count } }
        decoders = fields.map(\.decode)
        ownKinds = fields.map(\.kinds)
        required = fields.indices.filter { fields[$0].isRequired }.map { ($0, fields[$0].kinds) }
    }

    /// How such an object is written, by what it needs.
    var form: String {
        let needed = fields.filter { $0.isRequired && $0.kinds.isAll }
        let names = (needed.isEmpty ? Array(fields.prefix(1)) : needed).map { "\"\($0.name)\": …" }
        return "{\(names.joined(separator: ", "))}"
    }

    /// Reads an object's members and reports what is missing, unknown or out of place.
    func decode(_ object: JSONValue, _ context: inout DecodingContext) -> Target {
        var target = Target()
        let kind = kindKey.flatMap { object[$0] }.flatMap(kinds.value)
        // One bit a field; no table has as many as 64.
        var seen: UInt64 = 0
        var next = 0
        for member in object.members {
            guard let index = index(of: member.key, startingAt: next) else {
                context.mayHaveRepeatedKeys = true
                reportUnknown(member.key, &context)
                continue
            }
            next = index + 1
            if seen & (1 << index) != 0 { context.mayHaveRepeatedKeys = true }
            seen |= 1 << index
            if let kind, !ownKinds[index].contains(kind) {
                reportForeign(fields[index], member.key, kind, &context)
            } else {
                decoders[index](member.value, &target, &context)
            }
        }
        for (index, kinds) in required where seen & (1 << index) == 0 {
            guard kinds.isAll || kind.map(kinds.contains) == true else { continue }
            let field = fields[index]
            context.report(
                .missingKey, "\(noun) needs the key \"\(field.name)\"", at: object,
                hint: "add \"\(field.name)\": \(field.expected)")
        }
        return target
    }

    /// Keys mostly come in the order of the table, so the search goes round from where the last one was found.
    private func index(of key: JSONValue, startingAt start: Int) -> Int? {
        key.withContent { key in
            (start..<nameEnds.count).first { isName($0, key) } ?? (0..<start).first { isName($0, key) }
        }
    }

    private func isName(_ index: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = index == 0 ? 0 : nameEnds[index - 1]
        // Most comparisons end here: keys of one object mostly differ in length.
        guard nameEnds[index] - start == key.count else { return false }
        return key.indices.allSatisfy { names[start + $0] == key[$0] }
    }

    private func reportUnknown(_ key: JSONValue, _ context: inout DecodingContext) {
        let name = key.string ?? ""
        guard !name.utf8.starts(with: "x-".utf8) else { return }
        context.report(
            .unknownKey, "\(noun) has no key \(name.quotedForMessage())", at: key,
            hint: nearestMatch(to: name, among: fields.map(\.name)).map { "did you mean \"\($0)\"?" }
                ?? "a key of your own starts with x-")
    }

    private func reportForeign(
        _ field: Field<Target>, _ key: JSONValue, _ kind: BundleKind, _ context: inout DecodingContext
    ) {
        context.mayHaveRepeatedKeys = true
        context.report(
            .keyOfOtherKind, "the key \"\(field.name)\" doesn't belong to a bundle of the kind \(kind.rawValue)",
            at: key,
            hint:
                "it belongs to \(BundleKind.allCases.filter(field.kinds.contains).map(\.rawValue).joined(separator: ", "))"
        )
    }
}
