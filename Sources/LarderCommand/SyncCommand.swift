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
                "larder sync https://example.org/m.json -l media --only film --limit-rate 512K",
                "One bundle, gently."),
        ],
        exitCodes: RunArguments.exitCodes,
        exitMeanings: Jobs.ExitCode.meant([
            .failure: """
            nothing could be published and nothing was up to date, or the disk refused; or what there is to tell can't \
            be written
            """,
            .paused: "paused by --deadline or --max-bytes; the next run carries on",
            .invalidManifest: "the manifest is not valid", .unreadable: "the manifest can't be read",
        ]))

    func run() async -> Jobs.ExitCode {
        await RunArguments(parsed).run(OutputStyle(parsed)) { options, control, printer in
            await SyncRun(options, control: control, observer: printer.take).run().exit
        }
    }
}
