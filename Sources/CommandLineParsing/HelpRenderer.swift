/// Writes help from the table: lines of at most 80 columns, each ended by LF.
package struct HelpRenderer: Sendable {
    private static let width = 80
    /// Where the second column begins; longer first columns get a line of their own.
    private static let column = 28

    private let table: CommandTable

    package init(_ table: CommandTable) {
        self.table = table
    }

    /// What the program does and its commands.
    package func help() -> String {
        let rows = table.commands.map { row($0.name, $0.summary) }
        return sections([
            "Usage: \(table.program) COMMAND [OPTION]…",
            wrapped(table.summary, indent: 0),
            titled("Commands", rows),
            titled("Help", [row("COMMAND --help", "more about a command"), row("--version", "which version this is")]),
            titled("Exit codes", table.exitCodes.map(row)),
        ])
    }

    /// What a command does, its operands, options and examples.
    package func help(for command: Command) -> String {
        let options = command.groups.map { group in titled(group.title, group.options.map(row)) }
        let help = titled("Help", [row("-h, --help", "show this help")])
        let examples = command.examples.map { "  \($0.line)\n" + wrapped($0.purpose, indent: 6) }
        return sections(
            [usage(command), wrapped(command.description, indent: 0)]
                + [titled("Operands", command.operands.map { row($0.name, $0.help) })]
                + options + [help, titled("Examples", examples)]
                + [titled("Exit codes", table.exitCodes.filter { command.exitCodes.contains($0.code) }.map(row))])
    }

    private func usage(_ command: Command) -> String {
        let required = command.options.filter { $0.isRequired && $0.environment == nil }
            .map { "--\($0.name) \($0.argument?.placeholder ?? "")" }
        let operands = command.operands.map { operand in
            switch operand.arity {
            case .one: operand.name
            case .optional: "[\(operand.name)]"
            case .oneOrMore: "\(operand.name)…"
            case .any: "[\(operand.name)]…"
            }
        }
        return (["Usage:", table.program, command.name, "[OPTION]…"] + required + operands).joined(separator: " ")
    }

    private func row(_ option: OptionDefinition) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        let argument = option.argument.map { " \($0.placeholder)" } ?? ""
        var remarks: [String] = []
        if option.isRepeatable { remarks.append("repeatable") }
        if option.isRequired { remarks.append("required") }
        if let text = option.defaultText { remarks.append("default: \(text)") }
        if let variable = option.environment { remarks.append("also: \(variable)") }
        let remark = remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
        return row("\(short)--\(option.name)\(argument)", option.help + remark)
    }

    /// A narrow first column: the numbers are short and the list is long.
    private func row(_ exit: ExitCode) -> String {
        let start = "  \(exit.code)"
        return start + wrapped(exit.meaning, indent: 7).dropFirst(start.count)
    }

    /// Two columns.
    private func row(_ first: String, _ second: String) -> String {
        let lines = wrapped(second, indent: Self.column)
        let start = "  " + first
        guard start.count + 2 <= Self.column else { return start + "\n" + lines }
        return start + lines.dropFirst(start.count)
    }

    private func titled(_ title: String, _ rows: [String]) -> String {
        rows.isEmpty ? "" : ([title + ":"] + rows).joined(separator: "\n")
    }

    private func sections(_ sections: [String]) -> String {
        sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    /// Breaks each line of a text between words.
    private func wrapped(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
            var lines: [String] = []
            var line = margin
            for word in paragraph.split(separator: " ") {
                let extended = line == margin ? line + word : line + " " + word
                if extended.count > Self.width, line != margin {
                    lines.append(line)
                    line = margin + word
                } else {
                    line = extended
                }
            }
            return (lines + [line]).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
