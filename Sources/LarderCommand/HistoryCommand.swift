import CommandLineParsing
import ContentLibrary
import JSONSyntax
import Jobs
import Platform

/// `larder history`: the last runs.
struct HistoryCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let last = CommandOption<Int>.value(
        "last", short: "n", .integer(1...1000), default: 20, help: "how many runs to tell of")

    static let command = Command(
        "history", summary: "tell how the last runs went",
        description: """
            A line for each run that changed the library, or was to (sync, refresh, verify --repair, rollback, pin, \
            unpin, forget), the newest first: when it began, what it brought, how long it took, and how it ended. The \
            library's index remembers the last 1,000.
            """,
        groups: [
            OptionGroup("Library", LibraryOption.library), OptionGroup("Output", last, LibraryLookOptions.json),
        ],
        examples: [Example("larder history --library /srv/media --last 5", "The last five.")],
        exitCodes: LibraryLookOptions.exitCodes, exitMeanings: LibraryLookOptions.exitMeanings)

    func run() -> Jobs.ExitCode {
        LibraryLookOptions.look(parsed) { library in
            let runs = try library.readStateIndex()?.runs(limit: parsed[Self.last]) ?? []
            if parsed[LibraryLookOptions.json] {
                Console.write(Self.json(runs, library) + "\n")
            } else if runs.isEmpty {
                Console.write("no run is remembered\n")
            } else {
                Console.write(runs.map { HistoryText.line(of: $0, at: .now) + "\n" }.joined())
            }
            return .success
        }
    }

    private static func json(_ runs: [RunRecord], _ library: Library) -> String {
        var writer = JSONWriter()
        writer.object { history in
            history.member("format", "larder-history/1")
            history.member("library", absolutePath(library.path))
            history.array("runs") { list in
                for run in runs { run.write(to: &list) }
            }
        }
        return writer.text
    }
}
