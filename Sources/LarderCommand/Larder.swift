import CommandLineParsing
import Glibc
import Jobs
import Platform

/// The program: reads its command line and lets a command do the work.
@main
enum Larder {
    /// Not asynchronous, because the first thread must block the signals, and step aside where that is asked for, before the runtime makes others;
    /// then it has nothing more to do.
    static func main() {
        StandardStreams.occupy()
        CryptoLibrary.stayUntilTheEnd()
        let invocation = Result { () throws(UsageError) in
            try larderCommands.parse(Array(CommandLine.arguments.dropFirst()), environment: Environment.variables)
        }
        // Before anything that a program would inherit which takes this one's place.
        if case .success(.run(let parsed)) = invocation, parsed.command.name == RunCommand.command.name {
            exit(RunCommand(parsed).run())
        }
        SignalListener.ignoreBrokenPipes()
        // A signal ends these at once, as it would any program: what they do is done in one step, or changes nothing.
        if case .success(.run(let parsed)) = invocation, let code = runAtOnce(parsed) { exit(told(code).rawValue) }
        StopSignals.block()
        DescriptorLimit.raise()
        if case .success(.run(let parsed)) = invocation, parsed[BackgroundOption.background] {
            BackgroundPriority.adopt()
        }
        if case .success(.run(let parsed)) = invocation, parsed.command.name == ValidateCommand.command.name {
            MemoryAllocator.useOneHeap()
        }
        Task.detached { exit(told(await run(invocation)).rawValue) }
        while true { pause() }
    }

    /// A run whose report got lost didn't do all it was asked to.
    private static func told(_ code: Jobs.ExitCode) -> Jobs.ExitCode {
        guard let failure = Console.failure else { return code }
        Console.writeError("larder: \(failure)\n")
        return code.combined(with: .failure)
    }

    private static func run(_ invocation: Result<Invocation, UsageError>) async -> Jobs.ExitCode {
        do throws(UsageError) {
            switch try invocation.get() {
            case .help(let topic, let extent): Console.write(HelpRenderer(larderCommands).help(topic, extent))
            case .version: Console.write("larder \(LarderVersion.text)\n")
            case .run(let parsed): return await run(parsed)
            }
            return .success
        } catch {
            Console.writeError("larder: \(error)\n")
            return .usage
        }
    }

    private static func run(_ parsed: ParsedCommand) async -> Jobs.ExitCode {
        switch parsed.command.name {
        case SyncCommand.command.name: await SyncCommand(parsed).run()
        case RefreshCommand.command.name: await RefreshCommand(parsed).run()
        case FetchCommand.command.name: await FetchCommand(parsed).run()
        case UnpackCommand.command.name: await UnpackCommand(parsed).run()
        case CleanCommand.command.name: await CleanCommand(parsed).run()
        case VerifyCommand.command.name: await VerifyCommand(parsed).run()
        case ExportCommand.command.name: await ExportCommand(parsed).run()
        case ValidateCommand.command.name: await ValidateCommand(parsed).run()
        case ManifestCreateCommand.command.name: await ManifestCreateCommand(parsed).run()
        case ManifestUpdateCommand.command.name: await ManifestUpdateCommand(parsed).run()
        case ManifestImportCommand.command.name: await ManifestImportCommand(parsed).run()
        default: preconditionFailure("the table lists a command that nobody carries out")
        }
    }

    /// Carries out what needs no other threads; nil for any other command.
    private static func runAtOnce(_ parsed: ParsedCommand) -> Jobs.ExitCode? {
        switch parsed.command.name {
        case StatusCommand.command.name: StatusCommand(parsed).run()
        case HistoryCommand.command.name: HistoryCommand(parsed).run()
        case ExplainCommand.command.name: ExplainCommand(parsed).run()
        case PathCommand.command.name: PathCommand(parsed).run()
        case ManifestSignCommand.command.name: ManifestSignCommand(parsed).run()
        case VerifySignatureCommand.command.name: VerifySignatureCommand(parsed).run()
        case GenerateCommand.command.name: GenerateCommand(parsed).run()
        case CompleteCommand.command.name: CompleteCommand(parsed).run()
        default: SteeringCommands.run(parsed)
        }
    }
}

/// Every command, in the order of the help.
let larderCommands = CommandTable(
    program: "larder",
    summary: """
        Stocks a disk with large media bundles and keeps them fresh: fetches what a manifest names, verifies and \
        unpacks it, and publishes it so that a reader never sees half an update.
        """,
    commands: [
        SyncCommand.command, RefreshCommand.command, FetchCommand.command, UnpackCommand.command,
        ValidateCommand.command, StatusCommand.command, HistoryCommand.command, ExplainCommand.command,
        PathCommand.command, RunCommand.command, VerifyCommand.command, ExportCommand.command, CleanCommand.command,
        ManifestCreateCommand.command, ManifestUpdateCommand.command, ManifestImportCommand.command,
        ManifestSignCommand.command,
        VerifySignatureCommand.command,
    ] + SteeringCommands.all + [GenerateCommand.command, CompleteCommand.command],
    groupSummaries: ["manifest": "make manifests, update and sign them, and tell whose they are"],
    exitCodes: Jobs.ExitCode.meanings, notes: manualNotes)
