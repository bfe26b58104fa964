/// A command line that somebody is still writing: as much of it as its words tell, whatever is wrong with them.
package struct PartialCommandLine: Sendable {
    let command: Command
    private let environment: [String: String]
    /// By option name; of several the last.
    private var values: [String: String] = [:]
    private(set) var usedOptions: Set<String> = []
    package private(set) var operands: [String] = []
    /// The option whose value comes next.
    private(set) var awaiting: OptionDefinition?
    /// Whether `--` has ended the options.
    private(set) var hasOnlyOperands = false

    init(_ command: Command, _ words: ArraySlice<String>, environment: [String: String]) {
        (self.command, self.environment) = (command, environment)
        for word in words { take(word) }
    }

    /// What was given for an option, if only by the environment.
    package func text(of option: CommandOption<some Sendable>) -> String? {
        let definition = option.definition
        return values[definition.name] ?? definition.environment.flatMap { environment[$0] }
    }

    private mutating func take(_ word: String) {
        if let option = awaiting {
            values[option.name] = word
            awaiting = nil
        } else if hasOnlyOperands || !word.hasPrefix("-") || word == "-" {
            operands.append(word)
        } else if word == "--" {
            hasOnlyOperands = true
        } else if word.hasPrefix("--") {
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            use(command.options.first { $0.name == parts[0] }, parts.count > 1 ? parts[1] : nil)
        } else {
            takeShort(word.dropFirst())
        }
    }

    private mutating func takeShort(_ letters: Substring) {
        var letters = letters
        while let letter = letters.popFirst() {
            let option = command.options.first { $0.short == letter }
            use(option, letters.isEmpty ? nil : letters)
            if option?.argument != nil { return }
        }
    }

    private mutating func use(_ option: OptionDefinition?, _ attached: Substring?) {
        guard let option else { return }
        usedOptions.insert(option.name)
        guard option.argument != nil else { return }
        if let attached { values[option.name] = String(attached) } else { awaiting = option }
    }
}
