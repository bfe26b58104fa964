import BundleManifest
import CommandLineParsing
import Glibc
import JSONSyntax
import Jobs
import ManifestAuthoring
import Platform

/// `larder manifest create`: a manifest of what lies in folders.
struct ManifestCreateCommand {
    private let parsed: ParsedCommand
    private let arguments: CreationArguments

    init(_ parsed: ParsedCommand) {
        self.parsed = parsed
        arguments = CreationArguments(parsed: parsed)
    }

    private static let base = CommandOption<[String]>.repeated(
        "base", .text("URL"), help: "where the files will be served; more than one for mirrors")
    static let id = CommandOption<String?>.optional(
        "id", .text("ID"), help: "the manifest's id; by default made from the first name")
    static let serial = CommandOption<Int>.value(
        "serial", .integer(1...JSONValue.largestInteger), default: 1, help: "its serial: higher with every change")
    static let output = CommandOption<String?>.optional(
        "output", short: "o", .file(), help: "where to, in one step; by default, or as -, to standard output")

    static let command = Command(
        "manifest create", summary: "write a manifest of files and folders",
        description: """
            Writes a manifest with the size and the digest of everything that it finds: an archive (.zip, .tar, .tar.gz, \
            .tgz) is a bundle, and so is an EPUB, and an HLS presentation with all that its playlists name; all other files of a \
            folder are one more. With --base, URLs are relative to DIR, of several operands to the nearest folder that all \
            of them lie in; without, to where -o is, if that is above. What is found as a link is left out, one that is named \
            is followed. Names that no manifest can have, or of which only one can be copied to a stick, are told, and nothing is \
            written. The time is SOURCE_DATE_EPOCH, if that is set.
            """,
        operands: [Operand("DIR|FILE", .oneOrMore, help: "what the manifest is to name", completion: .files)],
        groups: [
            OptionGroup("Manifest", base, id, serial),
            OptionGroup(
                "What to take", CreationArguments.include, CreationArguments.exclude, BackgroundOption.background),
            OptionGroup("Output", output, OutputOptions.quiet, OutputOptions.noProgress, OutputOptions.color),
        ],
        examples: [
            Example(
                "larder manifest create /srv/m --base https://cdn.example/m/ -o museum.json",
                "Of all that the server has there."),
            Example("larder manifest create . -o museum.json --exclude '.*'", "To lie beside what it names."),
        ],
        exitCodes: Jobs.ExitCode.values(
            .success, .failure, .usage, .unreadable, .noSpace, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "written",
            .failure: "nothing is found, a name is refused, a file changes, or it can't be written",
            .unreadable: "something isn't there, or can't be read", .noSpace: "no room: the disk is full",
            .interrupted: "stopped by SIGINT: nothing is written",
            .terminated: "stopped by SIGTERM: nothing is written",
        ]))

    func run() async -> Jobs.ExitCode {
        await AuthoringRun<CreationProgress>(parsed).carryOut { run in
            let place = try arguments.outputPlace(parsed[Self.output] ?? "-")
            let selection = try arguments.selection(leavingOut: arguments.outputs(at: place))
            var sources = try arguments.sources(parsed.operands)
            let header = try header(of: sources)
            let observer = run.progress.observer(run.style, shouldStop: run.shouldStop)
            if header.mirrors.isEmpty, place != nil, let output = parsed[Self.output] {
                CreationArguments.setBase(of: &sources, to: CreationArguments.folder(ofManifest: output), observer)
            }
            // Reading, hashing and writing block.
            let queue = JobQueue(name: "create")
            let creation = ManifestCreation(
                sources, selection, header, limitBytes: Int64(ManifestLocation.limitBytes), observer)
            let text = try await run.working {
                try await queue.attempt { () throws(CreationProblem) in try creation.run() }
            }
            try await queue.attempt { try CreationArguments.write(text, to: place, run.style) }
            return run.progress.line
        }
    }

    private func header(of sources: ManifestSources) throws(UsageError) -> ManifestHeader {
        let id = try arguments.id(parsed[Self.id], named: sources.name.bytes)
        let mirrors = try arguments.mirrors(parsed[Self.base])
        return ManifestHeader(id: id, serial: parsed[Self.serial], created: try arguments.created(), mirrors: mirrors)
    }
}
