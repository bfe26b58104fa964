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
            OptionGroup("Library", LibraryLookOptions.library), OptionGroup("Output", last, LibraryLookOptions.json),
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

/// What is told of a run.
enum HistoryText {
    /// `2026-11-29T03:00:00Z refresh: 1 published, 3 unchanged, 0 failed; fetched 73.2 MB, resumed 0 B; 12.0 s, exit 0`.
    static func line(of run: RunRecord, at now: Timestamp) -> String {
        let start = "\(run.started.rfc3339) \(run.command)"
        guard let ended = run.ended, let exit = run.exit else {
            return "\(start): at work, or killed; begun \(HumanQuantity.age(run.started, at: now)) ago"
        }
        let duration = HumanQuantity.duration(.seconds(max(0, ended.seconds &- run.started.seconds)))
        return "\(start): " + (deeds(of: run) + ["\(duration), exit \(exit)"]).joined(separator: "; ")
    }

    /// What the counts mean depends on the command: who steers a library has none, and of what is mended nothing else is counted.
    private static func deeds(of run: RunRecord) -> [String] {
        let counts = run.counts
        var parts: [String]
        switch run.command {
        case SteeringCommands.rollback.name, SteeringCommands.pin.name, SteeringCommands.unpin.name,
            SteeringCommands.forget.name:
            return []
        case VerifyCommand.command.name: parts = ["\(counts.unchanged) mended", "\(counts.failed) failed"]
        default:
            parts = ["\(counts.published) published", "\(counts.unchanged) unchanged", "\(counts.failed) failed"]
        }
        if counts.paused > 0 { parts.append("\(counts.paused) paused") }
        if counts.mended > 0, run.command != VerifyCommand.command.name { parts.append("\(counts.mended) mended") }
        let stop = run.stop.flatMap(StopReason.init).map { ["stopped by \($0.cause)"] } ?? []
        return [parts.joined(separator: ", ")] + stop + [
            SummaryLine.traffic(
                fetched: counts.bytesFetched, fromCouriers: counts.bytesFromCouriers, copied: counts.bytesCopied,
                resumed: counts.bytesResumed)
        ]
    }
}
