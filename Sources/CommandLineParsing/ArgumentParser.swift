import Diagnostics

/// Reads the arguments of one command, GNU style: options and operands in any order, `--name value`, `--name=value`, `-o value`,
/// `-oVALUE`, flags together as in `-qv`, and nothing but operands after `--`.
struct ArgumentParser {
    private let command: Command
    private let helpLine: String
    private let options: [OptionDefinition]
    private var operands: [String] = []
    private var values: [String: [any Sendable]] = [:]
    private(set) var wantsHelp = false

    init(_ command: Command, helpLine: String) {
        self.command = command
        self.helpLine = helpLine
        self.options = command.options
    }

    mutating func parse(_ arguments: ArraySlice<String>) throws(UsageError) {
        var rest = arguments
        while let argument = rest.popFirst(), !wantsHelp {
            if argument == "--" {
                operands += rest
                return
            } else if argument == "--help" {
                wantsHelp = true
            } else if argument.hasPrefix("--") {
                try parseLong(argument.dropFirst(2), &rest)
            } else if argument.hasPrefix("-"), argument != "-" {
                try parseShort(argument.dropFirst(), &rest)
            } else {
                operands.append(argument)
            }
        }
    }

    /// Fills in from the environment and checks that everything is there.
    func finish(environment: [String: String]) throws(UsageError) -> ParsedCommand {
        var all = values
        for option in options where values[option.name] == nil {
            if let variable = option.environment, let text = environment[variable], !text.isEmpty {
                all[option.name] = [try parse(text, of: option, called: variable)]
            } else if option.isRequired {
                let instead = option.environment.map { " or the environment variable \($0)" } ?? ""
                throw error("--\(option.name)\(instead) is required")
            }
        }
        try checkOperands()
        return ParsedCommand(
            command: command, operands: operands, values: all, given: Set(values.keys), helpLine: helpLine)
    }

    // MARK: Options

    private mutating func parseLong(_ argument: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let name = argument.prefix { $0 != "=" }
        let attached =
            name.endIndex < argument.endIndex ? String(argument[argument.index(after: name.endIndex)...]) : nil
        if name == "help" { throw error("--help takes no value") }
        guard let option = options.first(where: { $0.name == name }) else {
            let nearest = nearestMatch(to: String(name), among: options.map(\.name) + ["help"])
            throw error("unknown option \("--\(name)".quotedForMessage())", nearest: nearest.map { "--" + $0 })
        }
        try add(option, called: "--\(name)", attached: attached, &rest)
    }

    private mutating func parseShort(_ letters: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard letter != "h" else {
                wantsHelp = true
                return
            }
            guard let option = options.first(where: { $0.short == letter }) else {
                throw error("unknown option \("-\(letter)".quotedForMessage())")
            }
            guard option.argument != nil, !letters.isEmpty else {
                try add(option, called: "-\(letter)", attached: nil, &rest)
                continue
            }
            return try add(option, called: "-\(letter)", attached: String(letters), &rest)
        }
    }

    private mutating func add(
        _ option: OptionDefinition, called name: String, attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        guard option.argument != nil else {
            guard attached == nil else { throw error("\(name) takes no value") }
            values[option.name, default: []].append(true)
            return
        }
        let text = if let attached { attached } else { try popValue(of: option, called: name, &rest) }
        values[option.name, default: []].append(try parse(text, of: option, called: name))
    }

    private func popValue(
        of option: OptionDefinition, called name: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        let placeholder = option.argument?.placeholder ?? ""
        guard let value = rest.popFirst() else { throw error("\(name) needs a value: \(name) \(placeholder)") }
        // Far more often a forgotten value than a value that happens to be an option's name.
        if ["--", "--help", "-h"].contains(value) || options.contains(where: { $0.isMeant(by: value) }) {
            throw error("\(name) needs a value before \(value); if that is the value, write --\(option.name)=\(value)")
        }
        return value
    }

    private func parse(
        _ text: String, of option: OptionDefinition, called name: String
    ) throws(UsageError) -> any Sendable {
        guard let argument = option.argument else { return true }
        do throws(ArgumentProblem) {
            return try argument.parse(text)
        } catch {
            throw self.error(
                "\(name): \(error.given.quotedForMessage()) is not \(error.expected)", nearest: error.nearest)
        }
    }

    // MARK: Operands

    private func checkOperands() throws(UsageError) {
        let needed = command.operands.filter { $0.arity != .optional && $0.arity != .any }
        if operands.count < needed.count { throw error("\(needed[operands.count].name) is missing") }
        let isOpenEnded = command.operands.contains { $0.arity == .oneOrMore || $0.arity == .any }
        if !isOpenEnded, operands.count > command.operands.count {
            throw error("unexpected operand \(operands[command.operands.count].quotedForMessage())")
        }
    }

    private func error(_ problem: String, nearest: String? = nil) -> UsageError {
        UsageError(problem, nearest: nearest, help: helpLine)
    }
}

extension OptionDefinition {
    /// Whether a word is this option, with a value or without.
    fileprivate func isMeant(by word: String) -> Bool {
        word == "--" + name || word.hasPrefix("--\(name)=") || short.map { word == "-\($0)" } ?? false
    }
}
