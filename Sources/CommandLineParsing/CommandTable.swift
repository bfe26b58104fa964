import Diagnostics

/// Everything that a program can be asked to do: the one table that parsing, help, manual and completions are made from.
package struct CommandTable: Sendable {
    /// `larder`.
    package let program: String
    package let summary: String
    package let commands: [Command]
    /// What commands of two words have in common, by their first.
    private let groupSummaries: [String: String]
    /// In the order in which help shows them.
    package let exitCodes: [ExitCode]
    /// What the manual tells besides.
    package let notes: [ManualNote]

    package init(
        program: String, summary: String, commands: [Command], groupSummaries: [String: String] = [:],
        exitCodes: [ExitCode], notes: [ManualNote] = []
    ) {
        self.program = program
        self.summary = summary
        self.commands = commands
        self.groupSummaries = groupSummaries
        self.exitCodes = exitCodes
        self.notes = notes
    }

    /// Reads a command line. `COMMAND --help` is what a person can read at a glance, `help COMMAND` is all.
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - environment: where options look that name a variable.
    package func parse(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws(UsageError) -> Invocation {
        guard let first = arguments.first else {
            throw UsageError("a command is missing", help: helpLine())
        }
        switch first {
        case "--help", "-h": return .help(.program, .short)
        case "--version": return .version
        case "help" where !commands.contains { $0.words == ["help"] }:
            let words = arguments.dropFirst().filter { $0 != "--help" && $0 != "-h" }
            return .help(try topic(of: words), .full)
        default: break
        }
        if let last = arguments.last, ["--help", "-h"].contains(last), isGroup(arguments.dropLast()) {
            return .help(.group(first), .short)
        }
        let command = try command(for: arguments)
        var parser = ArgumentParser(command, helpLine: helpLine(command))
        try parser.parse(arguments.dropFirst(command.words.count))
        if parser.wantsHelp { return .help(.command(command), .short) }
        return .run(try parser.finish(environment: environment))
    }

    /// The command that a command line begins with.
    func command(beginning arguments: [String]) -> Command? {
        commands.first { arguments.starts(with: $0.words) }
    }

    /// Those of two words that begin with this one.
    package func commands(inGroup name: String) -> [Command] {
        commands.filter { $0.words.count > 1 && $0.words[0] == name }
    }

    package func summary(ofGroup name: String) -> String {
        groupSummaries[name] ?? commands(inGroup: name).map(\.words[1]).joined(separator: ", ")
    }

    /// What a code means for a command.
    package func exitCodes(of command: Command) -> [ExitCode] {
        exitCodes.filter { command.exitCodes.contains($0.code) }.map { exit in
            ExitCode(exit.code, command.exitMeanings[exit.code] ?? exit.meaning)
        }
    }

    private func isGroup(_ words: ArraySlice<String>) -> Bool {
        words.count == 1 && words.first.map { !commands(inGroup: $0).isEmpty } == true
    }

    private func topic(of words: [String]) throws(UsageError) -> HelpTopic {
        if words.isEmpty { return .program }
        if isGroup(words[...]) { return .group(words[0]) }
        let command = try command(for: words)
        if let extra = words.dropFirst(command.words.count).first {
            throw UsageError(
                "help is about one command, and \(extra.quotedForMessage()) stands behind \(command.name)",
                help: helpLine(command))
        }
        return .command(command)
    }

    private func command(for arguments: [String]) throws(UsageError) -> Command {
        if let command = command(beginning: arguments) { return command }
        let word = arguments[0]
        let shown = commands.filter { !$0.isHidden }
        if word.hasPrefix("-") {
            let flags = shown.map(\.words[0]).filter { $0.hasPrefix("-") } + ["--help", "--version"]
            let name = String(word.prefix { $0 != "=" })
            if name != word, flags.contains(name) {
                let isCommand = commands.contains { $0.words[0] == name }
                throw UsageError(
                    "\(word.quotedForMessage()): "
                        + (isCommand ? "what \(name) is given stands behind a space" : "\(name) takes no value"),
                    help: isCommand ? helpLine([name]) : helpLine())
            }
            throw UsageError(
                "the option \(word.quotedForMessage()) stands before any command",
                nearest: nearestMatch(to: word, among: flags), help: helpLine())
        }
        let siblings = commands(inGroup: word)
        guard siblings.isEmpty else {
            let names = siblings.map(\.words[1])
            let nearest = arguments.dropFirst().first.flatMap { nearestMatch(to: $0, among: names) }
            throw UsageError(
                "\"\(word)\" needs one of \(names.joined(separator: ", ")) after it",
                nearest: nearest.map { "\(word) \($0)" }, help: helpLine(siblings.first?.words.prefix(1)))
        }
        throw UsageError(
            "unknown command \(word.quotedForMessage())",
            nearest: word == "version" ? "--version" : nearestMatch(to: word, among: shown.map(\.words[0])),
            help: helpLine())
    }

    private func helpLine(_ command: Command) -> String { helpLine(command.words[...]) }

    private func helpLine(_ words: ArraySlice<String>? = nil) -> String {
        "see \(([program] + (words ?? [])).joined(separator: " ")) --help"
    }
}

/// What a status of the program means.
package struct ExitCode: Sendable {
    package let code: Int32
    /// Without a full stop.
    package let meaning: String

    package init(_ code: Int32, _ meaning: String) {
        self.code = code
        self.meaning = meaning
    }
}

/// What a command line asks for.
package enum Invocation: Sendable {
    case run(ParsedCommand)
    case help(HelpTopic, HelpExtent)
    case version
}

/// What help is about.
package enum HelpTopic: Sendable {
    case program
    /// The commands of two words that begin with this one.
    case group(String)
    case command(Command)
}

/// How much help tells.
package enum HelpExtent: Sendable {
    /// What a person reads at a glance.
    case short
    /// All that is in the table.
    case full
}

/// A command and what it was given.
package struct ParsedCommand: Sendable {
    package let command: Command
    /// In the order of the arguments; as many as the command allows.
    package let operands: [String]
    /// By option name: from the command line, or else from the environment.
    let values: [String: [any Sendable]]
    let given: Set<String>
    let helpLine: String

    /// The value of an option.
    package subscript<Value>(_ option: CommandOption<Value>) -> Value {
        option.read(values[option.definition.name] ?? [])
    }

    /// Whether an option stands on the command line itself, so that it wins over whatever else could set it.
    package func isGiven(_ option: CommandOption<some Sendable>) -> Bool {
        given.contains(option.definition.name)
    }

    /// An error for what only the command itself can see, such as two options that exclude each other.
    /// - Parameter nearest: what was probably meant.
    package func usageError(_ problem: String, nearest: String? = nil) -> UsageError {
        UsageError(problem, nearest: nearest, help: helpLine)
    }
}

/// Wrong usage, told in one line.
package struct UsageError: Error, CustomStringConvertible {
    /// `unknown option "--limt-rate"; did you mean "--limit-rate"? (see larder sync --help)`.
    package let description: String

    init(_ problem: String, nearest: String? = nil, help: String) {
        description = problem + (nearest.map { "; did you mean \"\($0)\"?" } ?? "") + " (\(help))"
    }
}
