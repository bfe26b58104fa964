import Diagnostics

/// How the value of an option is read.
package struct ArgumentType<Value: Sendable>: Sendable {
    /// What help calls the value: `SIZE`.
    package let placeholder: String
    /// What a value is, as an error message says it: "a size such as 512M". Nil for free text, and where the placeholder says it all.
    let expected: String?
    let completion: Completion
    /// Whether there may be several values, with commas between them.
    let isList: Bool
    let parse: @Sendable (String) throws(ArgumentProblem) -> Value
    /// A value as one would write it.
    let text: @Sendable (Value) -> String

    /// - Parameters:
    ///   - expected: what an error message says is expected: "a size such as 512M".
    ///   - parse: nil for what isn't allowed.
    package init(
        _ placeholder: String, expected: String, completion: Completion = .nothing,
        text: @escaping @Sendable (Value) -> String = { "\($0)" }, parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(placeholder, expected: expected, completion: completion, text: text) {
            argument throws(ArgumentProblem) in
            guard let value = parse(argument) else { throw ArgumentProblem(given: argument, expected: expected) }
            return value
        }
    }

    private init(
        _ placeholder: String, expected: String?, completion: Completion = .nothing, isList: Bool = false,
        text: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) throws(ArgumentProblem) -> Value
    ) {
        self.placeholder = placeholder
        self.expected = expected
        self.completion = completion
        self.isList = isList
        self.parse = parse
        self.text = text
    }
}

/// Why the value of an option isn't one.
struct ArgumentProblem: Error {
    let given: String
    let expected: String
    /// The allowed word that was probably meant.
    var nearest: String?
}

extension ArgumentType {
    /// One of the words of an enumeration; these are its placeholder too.
    package static func word() -> Self where Value: RawRepresentable<String> & CaseIterable {
        let words = Value.allCases.map(\.rawValue)
        let expected = "one of \(words.joined(separator: ", "))"
        return Self(
            words.joined(separator: "|"), expected: nil, completion: .words(words), text: \.rawValue
        ) { argument throws(ArgumentProblem) in
            guard let value = Value(rawValue: argument) else {
                throw ArgumentProblem(
                    given: argument, expected: expected, nearest: nearestMatch(to: argument, among: words))
            }
            return value
        }
    }

    /// Values with commas between them, at least one.
    static func commaSeparated<Element>(_ element: ArgumentType<Element>) -> Self where Value == [Element] {
        Self(
            element.placeholder + ",…", expected: element.expected, completion: element.completion, isList: true,
            text: { $0.map(element.text).joined(separator: ",") }
        ) { argument throws(ArgumentProblem) in
            var values: [Element] = []
            for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
                values.append(try element.parse(String(part)))
            }
            return values
        }
    }
}

extension ArgumentType<String> {
    /// Any text but the empty one.
    package static func text(_ placeholder: String, completion: Completion = .nothing) -> Self {
        Self(placeholder, expected: nil, completion: completion, text: \.self) { argument throws(ArgumentProblem) in
            guard !argument.isEmpty else { throw ArgumentProblem(given: argument, expected: "a value") }
            return argument
        }
    }

    /// The path of a file.
    package static func file(_ placeholder: String = "FILE") -> Self { text(placeholder, completion: .files) }

    /// The path of a folder.
    package static func folder(_ placeholder: String = "DIR") -> Self { text(placeholder, completion: .folders) }
}

extension ArgumentType<Int> {
    /// A whole number of a range, which has nothing negative.
    package static func integer(_ range: ClosedRange<Int>, _ placeholder: String = "N") -> Self {
        Self(placeholder, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            parseDigits(text[...]).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Bytes, `4096` or `512M`.
    package static let size = Self(
        "SIZE", expected: "a size: bytes, or a number with K, M or G, such as 512M", parse: parseSizeBytes)
}

extension ArgumentType<Duration> {
    /// `30s`, `15m`, `2h`, `1d`.
    package static let duration = Self(
        "DURATION", expected: "a duration: a number with s, m, h or d, such as 30m", parse: parseDuration)
}

extension ArgumentType<SizeOrPercent> {
    /// `10G` or `5%`. Nobody means as few bytes as a percentage has: such a number is refused without its sign.
    package static let sizeOrPercent = Self(
        "SIZE|PERCENT", expected: expected, text: \.description
    ) { argument throws(ArgumentProblem) in
        switch SizeOrPercent(argument) {
        case .bytes(1...100)?: throw ArgumentProblem(given: argument, expected: expected, nearest: argument + "%")
        case let value?: return value
        case nil: throw ArgumentProblem(given: argument, expected: expected)
        }
    }

    private static let expected = "a size such as 10G or a percentage such as 5%"
}
