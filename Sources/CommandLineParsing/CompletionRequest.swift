/// A shell's question what could stand where the cursor is, and the answer that the table gives.
package struct CompletionRequest: Sendable {
    private let table: CommandTable
    private let environment: [String: String]

    /// - Parameter environment: where options look that name a variable.
    package init(_ table: CommandTable, environment: [String: String]) {
        (self.table, self.environment) = (table, environment)
    }

    /// - Parameter words: those after the program's name, without quotes; the last one is as much of a word as stands before the cursor.
    package func answer(to words: [String]) -> CompletionAnswer {
        guard let current = words.last else { return .nothing }
        let before = words.dropLast()
        if before.first == "help" {
            return .words(commandWords(after: before.dropFirst()), startingWith: current)
        }
        guard let command = table.command(beginning: Array(before)) else {
            let own = before.isEmpty ? [CompletionAnswer.Candidate("help", "more about a command")] : []
            let flags = before.isEmpty && current.hasPrefix("-") ? ["--help", "--version"] : []
            return .words(
                commandWords(after: before) + own + flags.map { CompletionAnswer.Candidate($0) }, startingWith: current)
        }
        let line = PartialCommandLine(command, before.dropFirst(command.words.count), environment: environment)
        return answer(line, current)
    }

    /// The words that, after these, name a command or are on the way to one.
    private func commandWords(after words: ArraySlice<String>) -> [CompletionAnswer.Candidate] {
        var candidates: [CompletionAnswer.Candidate] = []
        for command in table.commands where !command.isHidden && command.words.starts(with: words) {
            let rest = command.words.dropFirst(words.count)
            guard let word = rest.first, !candidates.contains(where: { $0.word == word }) else { continue }
            candidates.append(
                rest.count == 1 ? .init(word, command.summary) : .init(word, table.summary(ofGroup: command.words[0])))
        }
        return candidates
    }

    private func answer(_ line: PartialCommandLine, _ current: String) -> CompletionAnswer {
        if let argument = line.awaiting?.argument { return complete(argument, line, current) }
        guard !line.hasOnlyOperands, current.hasPrefix("-") else { return operand(line, current) }
        guard let equals = current.firstIndex(of: "=") else { return options(line, current) }
        let name = current[..<equals].dropFirst(2)
        guard let argument = line.command.options.first(where: { $0.name == name })?.argument else { return .nothing }
        let kept = String(current[...equals])
        return complete(argument, line, String(current.dropFirst(kept.count))).prefixed(by: kept)
    }

    private func operand(_ line: PartialCommandLine, _ current: String) -> CompletionAnswer {
        let operands = line.command.operands
        let isRepeated = operands.last.map { $0.arity == .oneOrMore || $0.arity == .any } ?? false
        guard line.operands.count < operands.count || isRepeated, !operands.isEmpty else {
            return line.hasOnlyOperands ? .nothing : options(line, current)
        }
        return complete(operands[min(line.operands.count, operands.count - 1)].completion, line, current)
    }

    /// Those that aren't there yet or may be there again; short ones only for whoever has begun with one dash.
    private func options(_ line: PartialCommandLine, _ current: String) -> CompletionAnswer {
        var candidates: [CompletionAnswer.Candidate] = []
        for option in line.command.options where option.isRepeatable || !line.usedOptions.contains(option.name) {
            candidates.append(.init("--\(option.name)", option.help))
            if let short = option.short, current.hasPrefix("-"), !current.hasPrefix("--") {
                candidates.append(.init("-\(short)", option.help))
            }
        }
        return .words(candidates + [.init("--help", "show help")], startingWith: current)
    }

    private func complete(
        _ argument: OptionDefinition.Argument, _ line: PartialCommandLine, _ current: String
    ) -> CompletionAnswer {
        guard argument.isList, let comma = current.lastIndex(of: ",") else {
            return complete(argument.completion, line, current)
        }
        let kept = String(current[...comma])
        return complete(argument.completion, line, String(current.dropFirst(kept.count))).prefixed(by: kept)
    }

    private func complete(
        _ completion: Completion, _ line: PartialCommandLine, _ current: String
    ) -> CompletionAnswer {
        switch completion {
        case .nothing: .nothing
        case .words(let words): .words(words.map { .init($0) }, startingWith: current)
        case .files: CompletionAnswer(.files)
        case .folders: CompletionAnswer(.folders)
        case .names(let find): .words(find(line).map { .init($0) }, startingWith: current)
        }
    }
}

/// What a shell is to offer.
package struct CompletionAnswer: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// The candidates.
        case words
        /// Paths, which the shell knows better.
        case files, folders
    }

    package struct Candidate: Sendable, Hashable {
        package let word: String
        /// For people; empty where there is nothing to say.
        package let help: String

        init(_ word: String, _ help: String = "") { (self.word, self.help) = (word, help) }
    }

    package let kind: Kind
    package let candidates: [Candidate]

    static let nothing = Self(.words)

    init(_ kind: Kind, _ candidates: [Candidate] = []) { (self.kind, self.candidates) = (kind, candidates) }

    static func words(_ candidates: [Candidate], startingWith start: String) -> Self {
        Self(.words, candidates.filter { $0.word.hasPrefix(start) })
    }

    /// The same for a word of which some stands before what was completed.
    func prefixed(by start: String) -> Self {
        Self(kind, candidates.map { Candidate(start + $0.word, $0.help) })
    }

    /// As scripts read it: the kind, then a line for each candidate, its help behind a tab.
    package var text: String {
        ([kind.rawValue] + candidates.map { $0.help.isEmpty ? $0.word : "\($0.word)\t\($0.help)" })
            .map { $0 + "\n" }.joined()
    }
}
