import Archives
import CommandLineParsing
import ContentLibrary
import Jobs
import Platform

/// `larder unpack`: one archive into one directory, or a look at what it holds.
struct UnpackCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let into = CommandOption<String?>.optional(
        "into", .folder(), help: "where to; by default a directory named after the archive, in the current one")
    private static let replace = CommandOption<Bool>.flag(
        "replace", help: "replace a directory that is not empty; once all is unpacked")
    private static let list = CommandOption<Bool>.flag(
        "list", help: "tell what it holds, with sizes, methods and CRC-32")
    private static let test = CommandOption<Bool>.flag("test", help: "check everything, write nothing")
    private static let format = CommandOption<ArchiveFormat?>.optional(
        "format", .word(), help: "what it is; by default told from its content")

    private static let (include, exclude) = (PatternOptions.include, PatternOptions.exclude)
    private static let strip = CommandOption<Int>.value(
        "strip", .integer(0...4096), default: 0, help: "leading components that every path loses")
    private static let noTimes = CommandOption<Bool>.flag("no-times", help: "don't set the modification times it gives")
    private static let portable = CommandOption<Bool>.flag(
        "portable", help: "refuse names that other systems can't hold; or can't tell apart")

    private static let defaults = ExtractionPolicy.Limits()
    private static let limitEntries = CommandOption<Int>.value(
        "limit-entries", .integer(1...Int.max), default: defaults.entries, help: "entries in all")
    private static let limitBytes = CommandOption<Int>.value(
        "limit-bytes", .size, default: Int(defaults.totalBytes), defaultText: gibibytes(defaults.totalBytes),
        help: "bytes in all")
    private static let limitEntryBytes = CommandOption<Int>.value(
        "limit-entry-bytes", .size, default: Int(defaults.entryBytes), defaultText: gibibytes(defaults.entryBytes),
        help: "bytes of one file")
    private static let limitRatio = CommandOption<Int>.value(
        "limit-ratio", .integer(1...Int.max), default: Int(defaults.ratio), help: "bytes out for each byte in")
    private static let limitDepth = CommandOption<Int>.value(
        "limit-depth", .integer(1...Int.max), default: defaults.depth, help: "components of a path")

    private static func gibibytes(_ bytes: Int64) -> String { "\(bytes >> 30)G" }

    private static let quiet = OutputOptions.quiet
    private static let verbose = CommandOption<Bool>.flag("verbose", short: "v", help: "name what is created")

    static let command = Command(
        "unpack", summary: "unpack one archive, list it or check it",
        description: """
            Unpacks zip (EPUB, JAR), tar, tar.gz, gzip, zlib and deflate, told apart by content. Everything is read and \
            checked on the way into a directory beside the target, which gets the target's name only when all of it is \
            right: a damaged or hostile archive leaves nothing behind. Patterns see paths as they are after --strip.
            """,
        operands: [Operand("FILE", help: "the archive", completion: .files)],
        groups: [
            OptionGroup("What to do", into, replace, list, test, format, BackgroundOption.background)
                .naming(BackgroundOption.background),
            OptionGroup("What to take", include, exclude, strip, noTimes, portable).naming(noTimes),
            OptionGroup("Limits", limitEntries, limitBytes, limitEntryBytes, limitRatio, limitDepth).naming(
                limitEntries, limitBytes, limitEntryBytes, limitRatio, limitDepth),
            OptionGroup("Output", quiet, verbose, OutputOptions.color).naming(OutputOptions.color),
        ],
        examples: [
            Example("larder unpack walls-1.0.zip --into walls --strip 1 --include '*.png'", "The images alone."),
            Example("larder unpack --test walls-1.0.zip", "Whether it is whole, and safe to unpack."),
        ],
        exitCodes: Jobs.ExitCode.values(
            .success, .failure, .usage, .invalidManifest, .unreadable, .noSpace, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "unpacked, listed, or found to be whole",
            .failure: "nothing was chosen of it, or there is no place for it: a target that isn't empty, say",
            .invalidManifest: "the archive is damaged, or refused: unsafe, or over a limit",
            .unreadable: "the archive isn't there, or can't be read", .noSpace: "no room: the disk is full",
            .interrupted: "stopped by SIGINT; nothing is left of it",
            .terminated: "stopped by SIGTERM; nothing is left of it",
        ]))

    func run() async -> Jobs.ExitCode {
        let control = RunControl()
        let written = Locked<Int64>(0)
        StopSignals.start(control, clearsUp: true) {
            Console.writeError("\(HumanQuantity.bytes(written.withLock { $0 })) unpacked\n")
        }
        var observer = UnpackObserver(
            shouldStop: { control.reason != nil },
            didWrite: { count in
                written.withLock { $0 += Int64(count) }
                control.noteActivity()
            },
            didCreate: { [isVerbose = parsed[Self.verbose]] entry in
                if isVerbose { Console.write(escapedText(entry.path) + "\n") }
            })
        observer.takesDigests = false
        let watch = RunWatch(control)
        defer { withExtendedLifetime(watch) {} }
        let style = OutputStyle(parsed)
        do throws(Failure) {
            // Reading, inflating and writing block.
            try await JobQueue(name: "unpack").attempt { [observer] () throws(Failure) in
                try work(Unpacker(source: source(), format: parsed[Self.format], policy: policy()), observer, style)
            }
            return .success
        } catch {
            if let reason = control.reason { return reason.exit }
            let isUsage = error.exit == .usage
            let line = isUsage ? "larder: \(parsed.usageError(error.message))" : "\(style.errorLabel) \(error.message)"
            Console.writeError(line + "\n")
            return error.exit
        }
    }

    /// Why the command fails, and how it says so.
    private struct Failure: Error {
        let exit: Jobs.ExitCode
        let message: String

        init(_ exit: Jobs.ExitCode, _ message: String) { (self.exit, self.message) = (exit, message) }

        init(_ problem: UnpackTarget.Problem) { self.init(problem.isNoSpace ? .noSpace : .failure, problem.message) }

        init(_ error: ArchiveError) {
            let exit: Jobs.ExitCode =
                switch error.code {
                case .malformed, .corrupted, .unsafe, .unsupported, .limitExceeded: .invalidManifest
                case .unreadable: .unreadable
                case .noSpace: .noSpace
                case .notSelectable, .unwritable, .stopped: .failure
                }
            self.init(exit, error.description + Self.wayOut(of: error.code))
        }

        /// What whoever trusts the archive can do about it.
        private static func wayOut(of code: ArchiveError.Code) -> String {
            guard code == .limitExceeded else { return "" }
            let options = [limitEntries, limitBytes, limitEntryBytes, limitRatio, limitDepth].map(\.definition.name)
            return "; if you trust it, raise the limit: " + options.map { "--\($0)" }.joined(separator: ", ")
        }
    }

    private func work(_ unpacker: Unpacker, _ observer: UnpackObserver, _ style: OutputStyle) throws(Failure) {
        switch (parsed[Self.list], parsed[Self.test]) {
        case (true, true): throw Failure(.usage, "--list and --test exclude each other")
        case (false, false): try unpack(unpacker, observer, style)
        case (let isListing, _):
            if parsed[Self.into] != nil || parsed[Self.replace] {
                throw Failure(.usage, "--list and --test write nothing: they go with neither --into nor --replace")
            }
            do throws(ArchiveError) {
                if isListing {
                    try list(unpacker, observer)
                } else {
                    report(try unpacker.check(observer: observer), "can be unpacked", style)
                }
            } catch { throw Failure(error) }
        }
    }

    private func unpack(
        _ unpacker: Unpacker, _ observer: UnpackObserver, _ style: OutputStyle
    ) throws(Failure) {
        let file = parsed.operands[0]
        guard let path = parsed[Self.into] ?? ArchiveName.directoryName(for: file) else {
            throw Failure(.usage, "'\(escapedText(file))' has no ending to drop for the directory's name: use --into")
        }
        if let library = Library.around(path) {
            throw Failure(
                .usage,
                "'\(escapedText(path))' lies in the library \(escapedText(library)), where nothing else may be written; name a place outside of it with --into"
            )
        }
        let target: UnpackTarget
        do { target = try UnpackTarget(path: path, replacing: parsed[Self.replace]) } catch { throw Failure(error) }
        do throws(Failure) {
            let summary: UnpackSummary
            do { summary = try unpacker.unpack(into: target.directory, observer: observer) } catch {
                throw Failure(error)
            }
            do {
                if let left = try target.publish() { Console.writeError("\(style.warningLabel) \(left)\n") }
            } catch { throw Failure(error) }
            report(summary, "unpacked into \(escapedText(path))", style)
        } catch {
            target.discard()
            throw error
        }
    }

    private func list(_ unpacker: Unpacker, _ observer: UnpackObserver) throws(ArchiveError) {
        var (entries, files, bytes, unsafe) = (0, 0, Int64(0), 0)
        Console.write(ArchiveListText.head)
        _ = try unpacker.list(observer: observer) { entry in
            Console.write(ArchiveListText.line(entry))
            entries += 1
            if entry.problem != nil { unsafe += 1 }
            guard entry.kind == .file else { return }
            files += 1
            bytes = bytes.addingReportingOverflow(entry.sizeBytes).partialValue
        }
        Console.write(ArchiveListText.total(entries: entries, files: files, bytes: bytes, unsafe: unsafe))
    }

    private func report(_ summary: UnpackSummary, _ outcome: String, _ style: OutputStyle) {
        guard !style.isQuiet else { return }
        for warning in summary.warnings { Console.writeError("\(style.warningLabel) \(warning)\n") }
        let files = HumanQuantity.count(summary.files, "file", "files")
        Console.write("\(files), \(HumanQuantity.bytes(summary.bytes)) \(outcome)\n")
    }

    private func source() throws(Failure) -> FileSource {
        do { return try FileSource(path: parsed.operands[0]) } catch { throw Failure(error) }
    }

    private func policy() throws(Failure) -> ExtractionPolicy {
        var policy = ExtractionPolicy()
        do {
            policy.selection = try EntrySelection(
                strip: parsed[Self.strip], include: parsed[Self.include], exclude: parsed[Self.exclude])
        } catch { throw Failure(.usage, error.reason) }
        policy.preservesTimes = !parsed[Self.noTimes]
        policy.names = parsed[Self.portable] ? .portable : .native
        policy.limits.entries = parsed[Self.limitEntries]
        policy.limits.totalBytes = Int64(parsed[Self.limitBytes])
        policy.limits.entryBytes = Int64(parsed[Self.limitEntryBytes])
        if parsed.isGiven(Self.limitRatio) { policy.limits.setRatio(Int64(parsed[Self.limitRatio])) }
        policy.limits.depth = parsed[Self.limitDepth]
        return policy
    }
}
