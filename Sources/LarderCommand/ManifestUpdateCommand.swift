import BundleManifest
import CommandLineParsing
import Diagnostics
import Glibc
import Jobs
import ManifestAuthoring
import Platform

/// `larder manifest update`: a manifest brought up to date with what lies in folders.
struct ManifestUpdateCommand {
    private let parsed: ParsedCommand
    private let arguments: CreationArguments

    init(_ parsed: ParsedCommand) {
        self.parsed = parsed
        arguments = CreationArguments(parsed: parsed)
    }

    private static let base = CommandOption<String?>.optional(
        "base", .text("URL"), help: "where the files are served; by default where relative URLs lead")
    private static let prune = CommandOption<Bool>.flag("prune", help: "take out what is gone from the folders")
    private static let output = CommandOption<String?>.optional(
        "output", short: "o", .file(), help: "where to instead of OLD, in one step; as -, to standard output")
    private static let diff = CommandOption<Bool>.flag(
        "diff", help: "print what would change as a unified diff, secrets masked, and write nothing")

    static let command = Command(
        "manifest update", summary: "bring a manifest up to date with files and folders",
        description: """
            Reads the files that OLD names, by their URLs, in the folders: sizes and digests are renewed, and written where they \
            were missing. What is new there comes into it as manifest create would write it: a file that stands for itself behind \
            those around it. What is gone is told, and stays unless --prune takes it out. All else in OLD stays as it was written, \
            byte for byte. If anything changed, the serial is one higher and created the time, or SOURCE_DATE_EPOCH; a \
            signature has to be made anew. URLs are relative to DIR where OLD has mirrors, of several operands to the \
            nearest folder that all of them lie in; without mirrors to where OLD lies.
            """,
        operands: [
            Operand("OLD", help: "the manifest, a file", completion: .files),
            Operand(
                "DIR|FILE", .oneOrMore, help: "what it names, as manifest create was told", completion: .files),
        ],
        groups: [
            OptionGroup("Manifest", base, prune),
            OptionGroup(
                "What to take", CreationArguments.include, CreationArguments.exclude, BackgroundOption.background),
            OptionGroup("Output", output, diff, OutputOptions.quiet, OutputOptions.noProgress, OutputOptions.color),
        ],
        examples: [
            Example("larder manifest update museum.json /srv/museum", "After files there have changed."),
            Example("larder manifest update museum.json /srv/museum --prune --diff", "What that would change."),
        ],
        exitCodes: Jobs.ExitCode.values(
            .success, .failure, .usage, .invalidManifest, .unreadable, .noSpace, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "written, or nothing has changed",
            .failure: "nothing is found, a name is refused, a file changes, or it can't be written",
            .invalidManifest: "OLD is not valid", .unreadable: "something isn't there, or can't be read",
            .noSpace: "no room: the disk is full", .interrupted: "stopped by SIGINT: nothing is written",
            .terminated: "stopped by SIGTERM: nothing is written",
        ]))

    func run() async -> Jobs.ExitCode {
        await AuthoringRun<CreationProgress>(parsed).carryOut { run in
            var options = ManifestUpdate.Options(created: try arguments.created())
            options.base = try parsed[Self.base].map(arguments.mirror)
            options.prunes = parsed[Self.prune]
            options.limitBytes = ManifestLocation.limitBytes
            // Judging, reading and hashing block.
            let queue = JobQueue(name: "update")
            let old = try await queue.attempt { [path] () throws(AuthoringProblem) in try Self.old(at: path) }
            let target = try target()
            let selection = try arguments.selection(leavingOut: ownFiles(target))
            var sources = try arguments.sources(parsed.operands.dropFirst())
            let observer = run.progress.observer(run.style, shouldStop: run.shouldStop)
            let folder = CreationArguments.folder(ofManifest: path)
            if old.mirrors.isEmpty, options.base == nil {
                CreationArguments.setBase(of: &sources, to: folder, observer)
            }
            guard let update = ManifestUpdate(old, in: folder, sources, selection, options, observer) else {
                throw AuthoringProblem(invalid: old)
            }
            let updated = try await run.working {
                try await queue.attempt { () throws(CreationProblem) in try update.run() }
            }
            if updated.isPlaced, case .file(let place) = target {
                let other = CreationArguments.folder(ofManifest: place.path)
                if other != folder { observer.warn(Self.warning(of: folder, leaving: other)) }
            }
            try finish(updated, old, target)
            return "\(updated.summary); \(run.progress.line)"
        }
    }

    private var path: String { parsed.operands.first ?? "" }

    private static func old(at path: String) throws(AuthoringProblem) -> DecodedManifest {
        let bytes = try readFile(path, limitBytes: ManifestLocation.limitBytes)
        let old = DecodedManifest(
            SourceText(name: path, bytes: bytes), options: ManifestDecodingOptions(allowsFileURLs: true))
        guard old.isValid else { throw AuthoringProblem(invalid: old) }
        return old
    }

    // MARK: Where to

    private enum Target {
        case old(ManifestLocation)
        case file(CreationArguments.OutputPlace)
        case standardOutput
        /// Nothing is written but what would change.
        case diff
    }

    /// - Throws: before hours are spent on what can't be written.
    private func target() throws -> Target {
        if parsed[Self.diff] {
            guard parsed[Self.output] == nil else {
                throw parsed.usageError("--diff writes nothing, and --output says where to: give one of them")
            }
            return .diff
        }
        // One that is OLD by another name is held against what was read, too.
        if let output = parsed[Self.output], output == "-" || ResolvedPath(output) != ResolvedPath(path) {
            return try arguments.outputPlace(output).map(Target.file) ?? .standardOutput
        }
        let location = ManifestLocation.file(path: path)
        try ManifestFile.place(of: location).directory.checkIsWritable()
        return .old(location)
    }

    /// The manifest, what is written instead, and their signatures: none of its own files.
    private func ownFiles(_ target: Target) throws(SystemError) -> [FileStatus] {
        var old = [path, MinisignSignature.place(of: path)].compactMap { path in
            try? OwnedDescriptor.openRegularFile(path).status()
        }
        if let place = try? ManifestFile.place(of: .file(path: path)) {
            old += try CreationArguments.ownFiles(of: place.name, in: place.directory)
        }
        return switch target {
        case .file(let place): try old + arguments.outputs(at: place)
        case .standardOutput, .diff: try old + arguments.outputs(at: nil)
        case .old: old
        }
    }

    /// What is told where relative URLs come to lie elsewhere.
    private static func warning(of folder: [UInt8], leaving other: [UInt8]) -> String {
        "its relative URLs belong to \(escapedText(folder)), where OLD lies, and lead elsewhere from \(escapedText(other)): put it where OLD is before it is served, or give it \"mirrors\""
    }

    private func finish(_ updated: UpdatedManifest, _ old: DecodedManifest, _ target: Target) throws {
        let bytes = updated.change?.bytes ?? old.source.bytes
        switch target {
        case .old(let location):
            guard updated.change != nil else { return }
            try ManifestFile.replace(location, holding: old.source.bytes, with: bytes)
            CreationArguments.tellStaleSignature(of: location, OutputStyle(parsed))
        case .file(let place):
            guard !place.holds(SHA256.digest(of: bytes)) else {
                return CreationArguments.tellUnchanged(place, OutputStyle(parsed))
            }
            try place.directory.replaceFile(
                place.name, with: bytes, mode: place.mode, owner: place.owner, flush: false)
            CreationArguments.tellStaleSignature(of: .file(path: place.path), OutputStyle(parsed))
        case .standardOutput: Console.write(String(decoding: bytes, as: UTF8.self))
        case .diff:
            guard let change = updated.change else { return }
            let shown = old.source.masked(old.diagnostics)
            Console.write(LineDiff(name: old.source.name, of: shown, edits: change.edits))
        }
    }
}

extension UpdatedManifest {
    /// `serial 43: 2 files renewed, 1 new`.
    fileprivate var summary: String {
        let parts = [
            (counts.renewed, "renewed"), (counts.completed, "completed"), (counts.added, "new"),
            (counts.pruned, "taken out"), (counts.gone - counts.pruned, "gone"), (counts.linked, "behind links"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        guard let change else { return parts.isEmpty ? "nothing changed" : "nothing changed, \(parts)" }
        return "serial \(change.serial): \(parts)"
    }
}
