/// Writes manual pages from the table, with the man macros of roff: one about the program, and one about each command.
package struct ManualRenderer: Sendable {
    private let table: CommandTable
    private let version: String

    /// - Parameter version: `0.1.0`; stands at the foot of each page.
    package init(_ table: CommandTable, version: String) { (self.table, self.version) = (table, version) }

    /// The commands with a page of their own.
    package var commands: [Command] { table.commands.filter { !$0.isHidden && !$0.name.hasPrefix("-") } }

    /// `larder-manifest-create` of `larder manifest create`; of the program itself `larder`.
    package func pageName(of command: Command?) -> String {
        ([table.program] + (command?.words ?? [])).joined(separator: "-")
    }

    /// A page; without a command the one about the program.
    package func page(about command: Command?) -> String {
        command.map(page) ?? programPage
    }

    // MARK: Pages

    private var programPage: String {
        let own = table.commands.filter { !$0.isHidden && $0.name.hasPrefix("-") }
        let options =
            [
                Self.item(RoffText.bold("--help"), "the commands, at a glance; with a command: what it does"),
                Self.item(RoffText.bold("--version"), "which version this is"),
            ] + own.map { Self.item(Self.synopsis(CommandSynopsis($0, of: table.program), $0.name), $0.description) }
        return head(pageName(of: nil), "stock a disk with media bundles and keep them fresh")
            + Self.section("SYNOPSIS", [RoffText.bold(table.program) + " \\fICOMMAND\\fR [\\fIOPTION\\fR]..."])
            + Self.section("DESCRIPTION", [RoffText.escaped(table.summary)])
            + Self.section(
                "COMMANDS",
                commands.map { Self.item("\(RoffText.bold(pageName(of: $0)))(1)", $0.summary) })
            + Self.section("OPTIONS", options)
            + Self.section("EXIT STATUS", table.exitCodes.map(Self.item))
            + files(table.notes)
            + variables(of: commands, table.notes.filter { $0.kind == .variable })
            + examples(commands.compactMap(\.examples.first))
            + seeAlso(commands.map { Optional($0) })
    }

    private func page(_ command: Command) -> String {
        let synopsis = Self.synopsis(CommandSynopsis(command, of: table.program), table.program + " " + command.name)
        let relatives = commands.filter { $0.words[0] == command.words[0] && $0.name != command.name }
        let concerned = table.notes.filter { $0.concerns(command) }
        return head(pageName(of: command), command.summary)
            + Self.section("SYNOPSIS", [synopsis])
            + Self.section("DESCRIPTION", [RoffText.escaped(command.description)])
            + Self.section("OPERANDS", command.operands.map { Self.item(RoffText.italic($0.name), $0.help) })
            + Self.section("OPTIONS", command.groups.flatMap(Self.items))
            + Self.section("EXIT STATUS", table.exitCodes(of: command).map(Self.item))
            + files(concerned)
            + variables(of: [command], concerned.filter { $0.kind != .file })
            + examples(command.examples)
            + seeAlso([nil] + relatives)
    }

    // MARK: Sections

    /// Without a date, which could only be that of the build.
    private func head(_ name: String, _ summary: String) -> String {
        let title = RoffText.escaped(name.uppercased())
        return """
            .\\" Made by \(table.program) --generate man
            .TH "\(title)" "1" "" "\(table.program) \(RoffText.escaped(version))" "User Commands"
            .nh
            .ad l
            .SH NAME
            \(RoffText.escaped(name)) \\- \(RoffText.escaped(summary))

            """
    }

    private static func section(_ title: String, _ parts: [String]) -> String {
        parts.isEmpty ? "" : ".SH \(title)\n" + parts.map { $0 + "\n" }.joined()
    }

    private static func synopsis(_ synopsis: CommandSynopsis, _ command: String) -> String {
        let rest = (synopsis.required + synopsis.operands).map { RoffText.escaped($0).italicized }
        return ([RoffText.bold(command), "[\\fIOPTION\\fR]..."] + rest).joined(separator: " ")
    }

    private static func items(_ group: OptionGroup) -> [String] {
        [".SS \(RoffText.escaped(group.title))"] + group.options.map(item)
    }

    private static func item(_ option: OptionDefinition) -> String {
        let names = (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
        let form = names.map(RoffText.bold).joined(separator: ", ")
        let argument = option.argument.map { " " + RoffText.italic($0.placeholder) } ?? ""
        let kind = option.argument?.expected
        let remarks = [kind].compactMap(\.self) + option.remarks
        return item(form + argument, ([option.help] + remarks).map { $0.sentence }.joined(separator: " "))
    }

    private static func item(_ exit: ExitCode) -> String { item(RoffText.bold("\(exit.code)"), exit.meaning) }

    /// - Parameter term: in roff already.
    private static func item(_ term: String, _ help: String) -> String {
        ".TP\n\(term)\n\(RoffText.escaped(help.sentence))"
    }

    private func files(_ notes: [ManualNote]) -> String {
        Self.section("FILES", notes.filter { $0.kind == .file }.map { Self.item(RoffText.italic($0.name), $0.help) })
    }

    /// Those that stand in for options of the commands, each once, and those of the notes.
    private func variables(of commands: [Command], _ notes: [ManualNote]) -> String {
        var items: [String] = []
        for option in commands.flatMap(\.options) {
            guard let variable = option.environment else { continue }
            let item = Self.item(RoffText.italic(variable), "stands in for --\(option.name)")
            if !items.contains(item) { items.append(item) }
        }
        return Self.section("ENVIRONMENT", items + notes.map { Self.item(RoffText.italic($0.name), $0.help) })
    }

    private func examples(_ examples: [Example]) -> String {
        Self.section(
            "EXAMPLES",
            examples.map { example in
                ".PP\n\(RoffText.escaped(example.purpose))\n.PP\n.RS 4\n.EX\n\(RoffText.escaped(example.line))\n.EE\n.RE"
            })
    }

    private func seeAlso(_ pages: [Command?]) -> String {
        Self.section(
            "SEE ALSO", [pages.map { RoffText.bold(pageName(of: $0)) + "(1)" }.joined(separator: ", ")])
    }
}

extension String {
    /// With a capital letter, where it begins with a word, and a full stop.
    fileprivate var sentence: String {
        let word = prefix { $0 != " " }
        let isWord = word.allSatisfy { $0.isLetter || $0 == "," || $0 == "'" || $0 == ":" || $0 == ";" }
        let start = isWord ? prefix(1).uppercased() + dropFirst() : self
        return ".!?".contains(where: { start.last == $0 }) ? start : start + "."
    }

    /// Words that users put something else in the place of, and nothing else.
    fileprivate var italicized: String { "\\fI\(self)\\fR" }
}
