/// Writes help from the table: lines of at most 80 columns, each ended by LF.
package struct HelpRenderer: Sendable {
    private let table: CommandTable

    package init(_ table: CommandTable) {
        self.table = table
    }

    package func help(_ topic: HelpTopic, _ extent: HelpExtent) -> String {
        switch (topic, extent) {
        case (.program, _): programHelp(extent)
        case (.group(let name), _): groupHelp(name)
        case (.command(let command), .short): shortHelp(command)
        case (.command(let command), .full): fullHelp(command)
        }
    }

    // MARK: The program

    private func programHelp(_ extent: HelpExtent) -> String {
        let shown = table.commands.filter { !$0.isHidden }
        let commands = shown.filter { !$0.name.hasPrefix("-") }
        let requests = shown.filter { $0.name.hasPrefix("-") }
        let help =
            [
                TextLayout.row("COMMAND --help", "a command at a glance"),
                TextLayout.row("help [COMMAND]", "all about it; so does man \(table.program)-COMMAND"),
                TextLayout.row("--version", "which version this is"),
            ] + requests.map { TextLayout.shortRow($0.name, $0.summary) }
        return TextLayout.sections([
            "Usage: \(table.program) COMMAND [OPTION]…",
            TextLayout.wrapped(table.summary, indent: 0),
            TextLayout.titled("Commands", commands.map { TextLayout.shortRow($0.name, $0.summary) }),
            TextLayout.titled("Help", help),
            extent == .full ? TextLayout.titled("Exit codes", table.exitCodes.map(row)) : "",
        ])
    }

    private func groupHelp(_ name: String) -> String {
        TextLayout.sections([
            "Usage: \(table.program) \(name) COMMAND [OPTION]…",
            TextLayout.wrapped("Commands that \(table.summary(ofGroup: name)).", indent: 0),
            TextLayout.titled(
                "Commands", table.commands(inGroup: name).map { TextLayout.shortRow($0.name, $0.summary) }),
            "More about each: \(table.program) \(name) COMMAND --help",
        ])
    }

    // MARK: A command

    private func fullHelp(_ command: Command) -> String {
        TextLayout.sections(
            [CommandSynopsis(command, of: table.program).line, TextLayout.wrapped(command.description, indent: 0)]
                + [TextLayout.titled("Operands", command.operands.map { TextLayout.row($0.name, $0.help) })]
                + command.groups.map { TextLayout.titled($0.title, $0.options.map(row)) }
                + [TextLayout.titled("Help", [TextLayout.row("-h, --help", "show help at a glance")])]
                + [examples(command.examples[...])]
                + [TextLayout.titled("Exit codes", table.exitCodes(of: command).map(row))])
    }

    /// As little as one screen holds: a line an option, and nothing of the options that another command tells of.
    private func shortHelp(_ command: Command) -> String {
        let borrowed = command.groups.filter { $0.home != nil }
        let names = borrowed.flatMap(\.options).map { "--\($0.name)" }.joined(separator: ", ")
        let home = borrowed.first?.home.map { "As for \(table.program) \($0): " } ?? ""
        let own = command.groups.filter { $0.home == nil }
        let unexplained = own.flatMap { group in group.options.filter { group.unexplained.contains($0.name) } }
        let more = unexplained.isEmpty ? "" : "More: " + unexplained.map { "--\($0.name)" }.joined(separator: ", ")
        return TextLayout.sections(
            [CommandSynopsis(command, of: table.program).line, TextLayout.wrapped(command.description, indent: 0)]
                + [command.operands.map { TextLayout.shortRow($0.name, $0.help) }.joined(separator: "\n")]
                + own.map { group in
                    let explained = group.options.filter { !group.unexplained.contains($0.name) }
                    return TextLayout.titled(group.title, explained.map(shortRow))
                }
                + [TextLayout.wrapped(more, indent: 0)]
                + [TextLayout.wrapped(home + names, indent: 0), examples(command.examples.prefix(2))]
                + ["All about it, exit codes too: \(table.program) help \(command.name)"])
    }

    private func examples(_ examples: ArraySlice<Example>) -> String {
        TextLayout.titled(
            "Examples", examples.map { "  \($0.line)\n" + TextLayout.wrapped($0.purpose, indent: 6) })
    }

    private func row(_ option: OptionDefinition) -> String {
        let remarks = option.remarks
        let remark = remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
        return TextLayout.row(Self.form(of: option), option.help + remark)
    }

    /// What stands before the first semicolon is the most important.
    private func shortRow(_ option: OptionDefinition) -> String {
        let remark = option.defaultText.map { " (default: \($0))" } ?? option.environment.map { " (or \($0))" } ?? ""
        return TextLayout.shortRow(Self.form(of: option), option.help.prefix { $0 != ";" } + remark)
    }

    private static func form(of option: OptionDefinition) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        let argument = option.argument.map { " \($0.placeholder)" } ?? ""
        return "\(short)--\(option.name)\(argument)"
    }

    /// A narrow first column: the numbers are short and the list is long.
    private func row(_ exit: ExitCode) -> String {
        let start = "  \(exit.code)"
        return start + TextLayout.wrapped(exit.meaning, indent: 7).dropFirst(start.count)
    }
}

extension OptionDefinition {
    /// What is said of every option in the same words.
    var remarks: [String] {
        [
            isRepeatable ? "repeatable" : nil, isRequired ? "required" : nil, defaultText.map { "default: \($0)" },
            environment.map { "also: \($0)" },
        ].compactMap(\.self)
    }
}
