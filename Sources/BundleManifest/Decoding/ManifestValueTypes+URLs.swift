import Diagnostics
import JSONSyntax
import Platform

extension ValueType<URLReference> {
    static let url = ValueType("a URL", .string, schema: urlSchema) { value, context in
        let text = value.string ?? ""
        if URLRules.isPlain(text) { return URLReference(checked: text) }
        do throws(Problem) {
            let url = try URLRules.check(text, allowsFileURLs: context.options.allowsFileURLs)
            for problem in URLRules.doubts(text) { context.report(problem, at: value) }
            return url
        } catch {
            let encoded = error.rule == .badURLCharacter ? URLRules.encoded(text) : nil
            context.report(error, at: value, fix: encoded.map { value.fix(replacingTextBy: $0) } ?? [])
            return nil
        }
    }.shared(as: "url")

    private static let urlSchema: JSONSchema = [
        "pattern": .string(TextPatterns.urlCharacters),
        "allOf": [
            [
                "if": ["pattern": .string(TextPatterns.absoluteURL)],
                "then": ["pattern": .string(TextPatterns.usableURL)],
            ],
            [
                "if": ["pattern": .string(TextPatterns.beginsWithAuthority)],
                "then": ["pattern": .string(TextPatterns.usableAuthority)],
            ],
        ],
    ]

    static let mirror = ValueType(
        "a URL", schema: url.schema.with(["pattern": .string(TextPatterns.absoluteURL)])
    ) { value, context in
        guard let mirror = url.decode(value, &context) else { return nil }
        if !mirror.isAbsolute {
            context.report(
                .relativeMirror, "the mirror \(URLRules.quoted(mirror.text)) is not an absolute URL", at: value)
        } else if let last = URLParts(mirror.text).path.utf8.last, last != UInt8(ascii: "/") {
            context.report(
                .mirrorWithoutSlash, "the mirror \(URLRules.quoted(mirror.text)) doesn't end with a slash", at: value,
                hint: "what follows its last slash is dropped when a relative URL is joined to it")
        }
        return mirror
    }
}

extension ValueType<[URLReference]> {
    static let urls = distinct(.list(of: .url, "URLs", atLeast: 1))

    static let mirrors = distinct(.list(of: .mirror, "URLs"))

    private static func distinct(_ type: Self) -> Self {
        Self(type.expected, schema: type.schema) { [decode = type.decode] value, context in
            let urls = decode(value, &context)
            guard let urls, !areDistinct(urls) else { return urls }
            for (first, again) in repeated(in: value) {
                context.report(
                    .repeatedURL, "the URL \(URLRules.quoted(again.string ?? "")) appears again", at: again,
                    notes: [Diagnostic.Note("it was first given here", at: first.range)])
            }
            return urls
        }
    }

    /// Most lists are short, and comparing a few URLs is cheaper than hashing them.
    private static func areDistinct(_ urls: [URLReference]) -> Bool {
        guard urls.count <= 8 else { return Set(urls).count == urls.count }
        return urls.indices.allSatisfy { !urls[..<$0].contains(urls[$0]) }
    }

    private static func repeated(in list: JSONValue) -> [(first: JSONValue, again: JSONValue)] {
        var repeated: [(first: JSONValue, again: JSONValue)] = []
        var places: [String: JSONValue] = [:]
        for element in list.elements {
            guard let text = element.string else { continue }
            if let first = places[text] { repeated.append((first, element)) } else { places[text] = element }
        }
        return repeated
    }
}
