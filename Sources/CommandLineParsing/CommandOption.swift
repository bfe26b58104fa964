/// One option, and the key under which its value is read from a ``ParsedCommand``.
///
///     let jobs = CommandOption.value("jobs", .integer(1...1024), default: 8, help: "transfers at once")
///     parsed[jobs]  // Int
///
/// An option is defined once and listed in every command that has it.
package struct CommandOption<Value: Sendable>: Sendable {
    package let definition: OptionDefinition
    /// Makes the value of what was given, in the order of the arguments.
    let read: @Sendable ([any Sendable]) -> Value
}

/// What an option looks like from outside: all that parsing, help, manual and completions need.
package struct OptionDefinition: Sendable {
    /// Without its dashes.
    package let name: String
    package let short: Character?
    /// One sentence without a full stop; what the default is, is added to it.
    package let help: String
    /// Nil for a flag.
    package let argument: Argument?
    package let isRequired: Bool
    /// Whether every one counts, and not only the last.
    package let isRepeatable: Bool
    /// What stands in for the option when it isn't given.
    package let environment: String?
    /// The default as one would write it.
    package let defaultText: String?

    /// The value that an option takes.
    package struct Argument: Sendable {
        /// `SIZE`, `FILE`.
        package let placeholder: String
        /// What a value is: "a whole number from 1 to 64". Nil for free text, and where the placeholder says it all.
        let expected: String?
        let completion: Completion
        /// Whether there may be several values, with commas between them.
        let isList: Bool
        let parse: @Sendable (String) throws(ArgumentProblem) -> any Sendable

        init(_ type: ArgumentType<some Sendable>) {
            placeholder = type.placeholder
            expected = type.expected
            completion = type.completion
            isList = type.isList
            parse = { (text: String) throws(ArgumentProblem) -> any Sendable in try type.parse(text) }
        }
    }
}

extension CommandOption {
    /// An option without a value: given or not.
    package static func flag(_ name: String, short: Character? = nil, help: String) -> Self where Value == Bool {
        Self(definition: OptionDefinition(name, short, help)) { !$0.isEmpty }
    }

    /// An option that may be left out. Of several the last counts.
    package static func optional<Given>(
        _ name: String, short: Character? = nil, _ type: ArgumentType<Given>, environment: String? = nil, help: String
    ) -> Self where Value == Given? {
        Self(definition: OptionDefinition(name, short, help, .init(type), environment: environment)) {
            $0.last as? Given
        }
    }

    /// An option with a default. Of several the last counts.
    /// - Parameter defaultText: the default as one would write it on the command line, where that isn't its description.
    package static func value(
        _ name: String, short: Character? = nil, _ type: ArgumentType<Value>, default defaultValue: Value,
        defaultText: String? = nil, environment: String? = nil, help: String
    ) -> Self {
        let shown = defaultText ?? type.text(defaultValue)
        return Self(
            definition: OptionDefinition(name, short, help, .init(type), environment: environment, defaultText: shown)
        ) { $0.last as? Value ?? defaultValue }
    }

    /// An option that must be given, if only by an environment variable. Of several the last counts.
    package static func required(
        _ name: String, short: Character? = nil, _ type: ArgumentType<Value>, environment: String? = nil, help: String
    ) -> Self {
        Self(
            definition: OptionDefinition(name, short, help, .init(type), isRequired: true, environment: environment)
        ) { given in
            guard let value = given.last as? Value else {
                // Parsing has made sure that it is there, unless the command doesn't list it: a mistake in the table.
                preconditionFailure("a command reads --\(name) without listing it")
            }
            return value
        }
    }

    /// An option that may be given several times; commas belong to its values.
    package static func repeated<Element>(
        _ name: String, short: Character? = nil, _ type: ArgumentType<Element>, help: String
    ) -> Self where Value == [Element] {
        Self(definition: OptionDefinition(name, short, help, .init(type), isRepeatable: true)) { given in
            given.compactMap { $0 as? Element }
        }
    }

    /// An option that may be given several times, and each time with several values separated by commas.
    package static func list<Element>(
        _ name: String, short: Character? = nil, _ type: ArgumentType<Element>, help: String
    ) -> Self where Value == [Element] {
        Self(definition: OptionDefinition(name, short, help, .init(.commaSeparated(type)), isRepeatable: true)) {
            given in
            given.flatMap { $0 as? [Element] ?? [] }
        }
    }
}

extension OptionDefinition {
    fileprivate init(
        _ name: String, _ short: Character?, _ help: String, _ argument: Argument? = nil, isRequired: Bool = false,
        isRepeatable: Bool = false,
        environment: String? = nil, defaultText: String? = nil
    ) {
        self.name = name
        self.short = short
        self.help = help
        self.argument = argument
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.environment = environment
        self.defaultText = defaultText
    }
}
