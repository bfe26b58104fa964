/// One command of the program: what it takes, and what its help says.
package struct Command: Sendable {
    /// `sync`, or two words: `manifest create`.
    package let name: String
    /// One line for the list of commands, without a full stop.
    package let summary: String
    /// What the command does, in a few sentences.
    package let description: String
    package let operands: [Operand]
    package let groups: [OptionGroup]
    package let examples: [Example]
    /// Those that the command can end with.
    package let exitCodes: Set<Int32>

    /// - Precondition: only the last operand may be left out or repeated.
    package init(
        _ name: String, summary: String, description: String, operands: [Operand] = [], groups: [OptionGroup] = [],
        examples: [Example] = [], exitCodes: Set<Int32>
    ) {
        self.name = name
        self.summary = summary
        self.description = description
        self.operands = operands
        self.groups = groups
        self.examples = examples
        self.exitCodes = exitCodes
    }

    package var options: [OptionDefinition] { groups.flatMap(\.options) }

    var words: [String] { name.split(separator: " ").map(String.init) }
}

/// A word of the command line that is no option.
package struct Operand: Sendable {
    package enum Arity: Sendable {
        case one, optional, oneOrMore
        /// Any number, and none too.
        case any
    }

    /// `MANIFEST`.
    package let name: String
    package let arity: Arity
    package let help: String

    package init(_ name: String, _ arity: Arity = .one, help: String) {
        self.name = name
        self.arity = arity
        self.help = help
    }
}

/// Options that help shows under a title of their own. Commands can share a group.
package struct OptionGroup: Sendable {
    package let title: String
    package let options: [OptionDefinition]

    package init<each Value>(_ title: String, _ options: repeat CommandOption<each Value>) {
        self.title = title
        var definitions: [OptionDefinition] = []
        for option in repeat each options { definitions.append(option.definition) }
        self.options = definitions
    }
}

/// A command line and what it is good for.
package struct Example: Sendable {
    package let line: String
    package let purpose: String

    package init(_ line: String, _ purpose: String) {
        self.line = line
        self.purpose = purpose
    }
}
