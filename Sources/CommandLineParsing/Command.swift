/// One command of the program: what it takes, and what its help says.
package struct Command: Sendable {
    /// `sync`, or two words: `manifest create`; of what isn't asked for every day `--generate`.
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
    /// What these mean here, where it isn't what the table of all says; without a full stop.
    package let exitMeanings: [Int32: String]
    /// Whether nobody needs to know it but other programs: then no help and no completion names it.
    package let isHidden: Bool

    /// - Precondition: only the last operand may be left out or repeated.
    package init(
        _ name: String, summary: String, description: String, operands: [Operand] = [], groups: [OptionGroup] = [],
        examples: [Example] = [], exitCodes: Set<Int32>, exitMeanings: [Int32: String] = [:], isHidden: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.description = description
        self.operands = operands
        self.groups = groups
        self.examples = examples
        self.exitCodes = exitCodes
        self.exitMeanings = exitMeanings
        self.isHidden = isHidden
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
    let completion: Completion

    package init(_ name: String, _ arity: Arity = .one, help: String, completion: Completion = .nothing) {
        self.name = name
        self.arity = arity
        self.help = help
        self.completion = completion
    }
}

/// Options that help shows under a title of their own. Commands can share a group.
package struct OptionGroup: Sendable {
    package let title: String
    package let options: [OptionDefinition]
    /// The command whose short help tells of these options, where that isn't the one that lists them.
    private(set) var home: String?
    /// Options that short help names and says nothing more of.
    private(set) var unexplained: Set<String> = []

    package init<each Value>(_ title: String, _ options: repeat CommandOption<each Value>) {
        self.title = title
        var definitions: [OptionDefinition] = []
        for option in repeat each options { definitions.append(option.definition) }
        self.options = definitions
    }

    /// The same where there are more options than one screen holds: of these short help tells the names alone.
    package func naming<each Value>(_ options: repeat CommandOption<each Value>) -> Self {
        var group = self
        for option in repeat each options { group.unexplained.insert(option.definition.name) }
        return group
    }

    /// The same for a command that has them from another one, and options enough of its own.
    package func asIn(_ command: String) -> Self {
        var group = self
        group.home = command
        return group
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
