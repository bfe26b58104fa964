import CommandLineParsing
import Jobs

/// `larder sync`: brings a library up to what manifests ask for.
struct SyncCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    static let command = Command(
        "sync", summary: "bring a library up to what manifests ask for",
        description: """
            Fetches what is missing, verifies and unpacks it, and publishes all of it in one step. Stopped or killed at \
            any moment it loses nothing: the next run carries on at the byte it had reached.
            """,
        operands: RunArguments.operands,
        groups: [RunArguments.libraryGroup, RunArguments.transfersGroup, RunArguments.outputGroup],
        examples: [
            Example("larder sync museum.json --library /srv/media", "Everything the manifest names."),
            Example(
                "larder sync https://example.org/museum.json -l /srv/media --only film --limit-rate 512K",
                "One bundle, gently."),
        ],
        exitCodes: RunArguments.exitCodes)

    func run() async -> Jobs.ExitCode {
        await RunArguments(parsed).run(OutputStyle(parsed)) { options, control, printer in
            await SyncRun(options, control: control, observer: printer.take).run().exit
        }
    }
}
