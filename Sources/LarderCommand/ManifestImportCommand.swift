import BundleManifest
import CommandLineParsing
import Diagnostics
import Downloads
import Glibc
import Jobs
import ManifestAuthoring
import Platform

/// `larder manifest import`: a manifest of lists that others wrote.
struct ManifestImportCommand {
    private let parsed: ParsedCommand
    private let arguments: CreationArguments

    init(_ parsed: ParsedCommand) {
        self.parsed = parsed
        arguments = CreationArguments(parsed: parsed)
    }

    private static let format = CommandOption<ListFormat?>.optional(
        "format", .word(), help: "what the lists are, where that isn't to be seen from how they begin")
    private static let base = CommandOption<[String]>.repeated(
        "base", .text("URL"),
        help: "what relative URLs belong to, and where bags will be served; more than one for mirrors")
    private static let title = CommandOption<String?>.optional(
        "title", .text("TEXT"), help: "what people call the files, if there is one list")
    private static let hash = CommandOption<Bool>.flag(
        "hash", help: "fetch what has no SHA-256, and hash it; nothing of it is kept")

    static let command = Command(
        "manifest import", summary: "write a manifest of a Metalink, an aria2 list, a BagIt bag or URLs",
        description: """
            Writes a manifest with a bundle of the kind files for each list, which is named after it, and has the list's files \
            in their order: of a Metalink (RFC 5854; version 3 too), what aria2 reads with --input-file, a bag (RFC 8493, the \
            folder itself), or a URL a line. What can't stand in a manifest is told and left out: other URLs than http and https, \
            torrents, headers and logins. Digests by other algorithms than SHA-256 are kept as x- keys, and nobody \
            checks them: with --hash what has no SHA-256 is fetched whole into TMPDIR, checked by what the list says \
            of it, and hashed. Paths that no manifest can have are refused, and nothing is written. Of a bag the paths stand without data/, \
            and what is in the folder already has a URL relative to -o's folder, or to the bag with --base. The time is SOURCE_DATE_EPOCH, if that is set.
            """,
        operands: [
            Operand("FILE", .oneOrMore, help: "a list, a bag's folder, or - for standard input", completion: .files)
        ],
        groups: [
            OptionGroup(
                "Lists", format, base, hash, RunArguments.jobs, RunArguments.perHost, RunArguments.split,
                RunArguments.limitRate, RunArguments.retries, BackgroundOption.background, RunArguments.config
            ).naming(
                RunArguments.jobs, RunArguments.perHost, RunArguments.split, RunArguments.limitRate,
                RunArguments.retries, BackgroundOption.background, RunArguments.config),
            OptionGroup("Manifest", ManifestCreateCommand.id, ManifestCreateCommand.serial, title)
                .naming(ManifestCreateCommand.id, ManifestCreateCommand.serial, title),
            OptionGroup(
                "Output", ManifestCreateCommand.output, OutputOptions.quiet, OutputOptions.noProgress,
                OutputOptions.color
            ).naming(OutputOptions.noProgress, OutputOptions.color),
        ],
        examples: [
            Example("larder manifest import distro.meta4 -o distro.json", "With the digests that the Metalink has."),
            Example(
                "larder manifest import films.txt --hash -o films.json",
                "Fetches what the URLs lead to once, to know its size and digest."),
            Example("larder manifest import /srv/bag -o /srv/bag.json", "What is in the bag is taken from there."),
        ],
        exitCodes: Jobs.ExitCode.values(
            .success, .failure, .usage, .invalidManifest, .unreadable, .noSpace, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "the manifest is written",
            .failure:
                "it can't be written, or would be too large; with --hash: something couldn't be fetched, or is not what the list says of it",
            .invalidManifest: "a list is broken, or names what no manifest can: nothing is written",
            .unreadable: "a list, or a file of a bag, isn't there or can't be read",
            .noSpace: "no room: the disk is full", .interrupted: "stopped by SIGINT: nothing is written",
            .terminated: "stopped by SIGTERM: nothing is written",
        ]))

    func run() async -> Jobs.ExitCode {
        await AuthoringRun<ImportProgress>(parsed).carryOut { run in
            let place = try arguments.outputPlace(parsed[ManifestCreateCommand.output] ?? "-")
            // A pipe is waited for, until somebody writes to it.
            var sources = try await JobQueue(name: "open").attempt { [operands = parsed.operands] in
                try Self.sources(operands)
            }
            guard parsed[Self.title] == nil || sources.count == 1 else {
                throw parsed.usageError("--title names the files of one list, and there are \(sources.count)")
            }
            guard let name = sources.stem ?? parsed[ManifestCreateCommand.id].map({ Array($0.utf8) }) else {
                throw parsed.usageError(
                    "what comes from standard input has no name: say with --id what the manifest's is")
            }
            let header = try header(named: name)
            let observer = run.progress.observer(run.style, shouldStop: run.shouldStop)
            if header.mirrors.isEmpty, place != nil, let output = parsed[ManifestCreateCommand.output] {
                let folder = CreationArguments.folder(ofManifest: output)
                if let base = sources.base, !sources.setBase(folder) {
                    observer.warn(CreationArguments.warning(ofBase: base, insteadOf: folder))
                }
            }
            // Settings that can't work are told with or without anything to fetch.
            let plan = try RunArguments(parsed).transferPlan()
            let text = try await run.working { [sources] in
                try await self.text(of: sources, header, plan, run.control, observer)
            }
            try await JobQueue(name: "write").attempt { try CreationArguments.write(text, to: place, run.style) }
            return run.progress.line
        }
    }

    private static func sources(_ paths: [String]) throws -> ImportSources {
        do { return try ImportSources(paths) } catch let error as SystemError {
            throw AuthoringProblem(.unreadable, "\(error)")
        }
    }

    private func header(named name: [UInt8]) throws(UsageError) -> ManifestHeader {
        let id = try arguments.id(parsed[ManifestCreateCommand.id], named: name)
        return ManifestHeader(
            id: id, serial: parsed[ManifestCreateCommand.serial], created: try arguments.created(),
            mirrors: try arguments.mirrors(parsed[Self.base]))
    }

    private func text(
        of sources: ImportSources, _ header: ManifestHeader, _ plan: TransferPlan, _ control: RunControl,
        _ observer: ImportObserver
    ) async throws -> OwnedDescriptor {
        var options = ManifestImport.Options()
        options.format = parsed[Self.format]
        options.title = parsed[Self.title]
        guard parsed[Self.hash] else { return try await text(of: sources, header, options, observer) }
        // What a killed one left may be large.
        let queue = JobQueue(name: "scratch")
        let folder = try await queue.attempt { () throws(ImportProblem) in
            TemporaryFolder.removeAbandoned()
            return try ImportProblem.written { () throws(SystemError) in try TemporaryFolder() }
        }
        let downloader = Downloader(
            configuration: plan.configuration(atMinute: Timestamp.now.localMinuteOfDay),
            store: ResumeStore(directory: folder.directory))
        options.fetching = ManifestImport.Fetching(
            downloader, redirects: plan.settings.redirects, bodyBudgetBytes: plan.settings.bodyBudgetBytes)
        control.onStop { Task { await downloader.shutDown() } }
        let text: Result<OwnedDescriptor, any Error>
        do { text = .success(try await self.text(of: sources, header, options, observer)) } catch {
            text = .failure(error)
        }
        await downloader.shutDown()
        await queue.run { folder.remove() }
        return try text.get()
    }

    /// Reading and hashing block.
    private func text(
        of sources: ImportSources, _ header: ManifestHeader, _ options: ManifestImport.Options,
        _ observer: ImportObserver
    ) async throws -> OwnedDescriptor {
        let work = ManifestImport(
            sources, header, options, limitBytes: Int64(ManifestLocation.limitBytes), observer)
        let queue = JobQueue(name: "import")
        let text = try await queue.attempt { () throws(ImportProblem) in try work.run() }
        let name = parsed[ManifestCreateCommand.output].flatMap { $0 == "-" ? nil : $0 } ?? "standard output"
        try await queue.attempt { () throws(AuthoringProblem) in try Self.check(text, called: name) }
        return text
    }

    /// Lists can be right, and yet be no manifest that sync takes: it is judged as sync would judge it.
    private static func check(_ text: OwnedDescriptor, called name: String) throws(AuthoringProblem) {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard lseek(text.rawValue, 0, SEEK_SET) == 0 else { throw .last("rewind", text.name) }
            bytes = try text.readAll(limitBytes: ManifestLocation.limitBytes)
        } catch {
            throw AuthoringProblem(.failure, "\(error)")
        }
        let decoded = DecodedManifest(
            SourceText(name: name, bytes: bytes), options: ManifestDecodingOptions(allowsFileURLs: true))
        guard decoded.diagnostics.hasErrors else { return }
        let invalid = AuthoringProblem(invalid: decoded)
        throw AuthoringProblem(
            .invalidManifest, lines: invalid.lines + ["so the manifest would not be valid, and nothing is written"])
    }
}
