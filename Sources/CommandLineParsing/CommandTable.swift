import Diagnostics

/// Everything that a program can be asked to do: the one table that parsing and help are made from.
package struct CommandTable: Sendable {
    /// `larder`.
    package let program: String
    package let summary: String
    package let commands: [Command]
    /// In the order in which help shows them.
    package let exitCodes: [ExitCode]

    package init(program: String, summary: String, commands: [Command], exitCodes: [ExitCode]) {
        self.program = program
        self.summary = summary
        self.commands = commands
        self.exitCodes = exitCodes
    }

    /// Reads a command line. `help COMMAND` is the same as `COMMAND --help`.
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
        case "--help", "-h": return .help(nil)
        case "--version": return .version
        case "help" where !commands.contains { $0.words == ["help"] }:
            let words = arguments.dropFirst().filter { $0 != "--help" && $0 != "-h" }
            return .help(words.isEmpty ? nil : try command(for: words))
        default: break
        }
        let command = try command(for: arguments)
        var parser = ArgumentParser(command, helpLine: helpLine(command))
        try parser.parse(arguments.dropFirst(command.words.count))
        if parser.wantsHelp { return .help(command) }
        return .run(try parser.finish(environment: environment))
    }

    private func command(for arguments: [String]) throws(UsageError) -> Command {
        if let command = commands.first(where: { arguments.starts(with: $0.words) }) { return command }
        let word = arguments[0]
        if word.hasPrefix("-") {
            throw UsageError(
                "the option \(word.quotedForMessage()) stands before any command", help: helpLine())
        }
        let siblings = commands.filter { $0.words.count > 1 && $0.words[0] == word }
        guard siblings.isEmpty else {
            let names = siblings.map(\.words[1]).joined(separator: ", ")
            throw UsageError("\"\(word)\" needs one of \(names) after it", help: helpLine())
        }
        throw UsageError(
            "unknown command \(word.quotedForMessage())",
            nearest: nearestMatch(to: word, among: commands.map(\.words[0])),
            help: helpLine())
    }

    private func helpLine(_ command: Command? = nil) -> String {
        "see \(([program] + (command?.words ?? [])).joined(separator: " ")) --help"
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
    /// Help about a command, or about the program.
    case help(Command?)
    case version
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
    package func usageError(_ problem: String) -> UsageError {
        UsageError(problem, help: helpLine)
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
