import CommandLineParsing
import ContentLibrary
import Diagnostics
import Jobs
import Platform

/// `larder --generate`: manual pages and shells' completions, made from the table of commands, for whoever installs the program.
struct GenerateCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let manual = "man"
    private static let into = CommandOption<String?>.optional(
        "into", .folder(), help: "with man: write all pages there, each into a file of its own; made when missing")
    private static let kinds = [manual] + CompletionScript.allCases.map(\.rawValue)

    static let command = Command(
        "--generate", summary: "print a manual page, or completions for a shell",
        description: """
            Prints the manual page of the program, or of the command that is named behind man, or what bash, zsh or fish \
            reads to complete command lines.
            """,
        operands: [
            Operand(
                kinds.joined(separator: "|"), help: "a manual page, or completions for that shell",
                completion: .words(kinds)),
            Operand(
                "COMMAND", .any, help: "the command that the page is about", completion: .names { pageWords($0) }),
        ],
        groups: [OptionGroup("Output", into)],
        examples: [
            Example("larder --generate man sync | man -l -", "A page before it is installed."),
            Example("larder --generate man --into man/man1", "All pages."),
            Example("source <(larder --generate bash)", "Completions for this session of bash."),
        ],
        exitCodes: Jobs.ExitCode.values(.success, .failure, .usage),
        exitMeanings: Jobs.ExitCode.meant([.success: "done", .failure: "the pages can't be written"]))

    /// The words that may follow those that are there, of the names of commands that have a page.
    private static func pageWords(_ line: PartialCommandLine) -> [String] {
        guard line.operands.first == manual else { return [] }
        let before = line.operands.dropFirst()
        var words: [String] = []
        for command in ManualRenderer(larderCommands, version: LarderVersion.text).commands {
            let name = command.name.split(separator: " ").map(String.init)
            guard name.starts(with: before), let word = name.dropFirst(before.count).first else { continue }
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    func run() -> Jobs.ExitCode {
        do {
            let kind = parsed.operands[0]
            if kind == Self.manual {
                try writeManual()
            } else {
                Console.write(try script(kind).text(for: larderCommands.program))
            }
            return .success
        } catch let error as UsageError {
            Console.writeError("larder: \(error)\n")
            return .usage
        } catch {
            Console.writeError("error: \(error)\n")
            return .failure
        }
    }

    private func script(_ kind: String) throws(UsageError) -> CompletionScript {
        guard let script = CompletionScript(rawValue: kind) else {
            throw parsed.usageError(
                "\(kind.quotedForMessage()) is none of \(Self.kinds.joined(separator: ", "))",
                nearest: nearestMatch(to: kind, among: Self.kinds))
        }
        guard parsed.operands.count == 1, parsed[Self.into] == nil else {
            throw parsed.usageError("completions are a single text on standard output, for all commands")
        }
        return script
    }

    private func writeManual() throws {
        let manual = ManualRenderer(larderCommands, version: LarderVersion.text)
        let name = parsed.operands.dropFirst().joined(separator: " ")
        guard let folder = parsed[Self.into] else {
            return Console.write(manual.page(about: try command(name, manual)))
        }
        guard name.isEmpty else { throw parsed.usageError("--into writes the pages of all commands") }
        if let library = Library.around(folder) {
            throw parsed.usageError(
                "--into: \(folder.quotedForMessage()) lies in the library \(library.quotedForMessage()), where nothing else may be written; name a folder outside of it"
            )
        }
        _ = try Directory.open(folder, create: true)
        for command in [nil] + manual.commands.map(Optional.some) {
            try Directory.replaceFile(
                named: "\(folder)/\(manual.pageName(of: command)).1", with: Array(manual.page(about: command).utf8))
        }
    }

    /// Nil without a name.
    private func command(_ name: String, _ manual: ManualRenderer) throws(UsageError) -> Command? {
        if name.isEmpty { return nil }
        if let command = manual.commands.first(where: { $0.name == name }) { return command }
        throw parsed.usageError(
            "no page is about a command \(name.quotedForMessage())",
            nearest: nearestMatch(to: name, among: manual.commands.map(\.name)))
    }
}
