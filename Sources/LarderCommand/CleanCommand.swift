import CommandLineParsing
import Jobs
import Platform
import Transfer

/// `larder clean`: removes from a library what nobody needs.
struct CleanCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let partials = CommandOption<Bool>.flag(
        "partials", help: "remove all paused downloads, whoever asks for them")
    private static let keep = CommandOption<Int?>.optional(
        "keep", .integer(1...1000), help: "remove older generations than so many; 2 if only --keep-age is given")
    private static let keepAge = CommandOption<Duration?>.optional(
        "keep-age", .duration, help: "but none that is younger; 1d if only --keep is given")
    private static let base = CommandOption<String?>.optional(
        "base", .text("URL"), help: "where relative URLs of a manifest from - lead")
    private static let dryRun = CommandOption<Bool>.flag(
        "dry-run", short: "n", help: "tell what would be removed, do nothing")

    static let command = Command(
        "clean", summary: "remove from a library what nobody needs",
        description: """
            Removes paused downloads that neither a published manifest nor one that is named asks for, content that no \
            generation names, and what a killed run left in progress. Every generation stays, unless --keep or \
            --keep-age says which; the current one, and one that a reader holds, do so always. What is complete but \
            not published, after a run that was cut short, goes too, unless it is younger than --keep-age.
            """,
        operands: [
            Operand("MANIFEST", .any, help: "a path, an http(s) URL, or -: what it asks for stays", completion: .files)
        ],
        groups: [
            OptionGroup("Library", LibraryOption.library, base, keep, keepAge, partials, dryRun),
            OutputOptions.ofRun,
        ],
        examples: [
            Example("larder clean museum.json --library /srv/media", "Keeps what a stopped sync of it had fetched."),
            Example("larder clean --library /srv/media --partials --dry-run", "What there would be to win."),
            Example(
                "larder clean --library /srv/media --keep 1 --keep-age 0s", "Nothing but what readers find now."),
        ],
        exitCodes: Jobs.ExitCode.values(
            .success, .failure, .usage, .invalidManifest, .unreadable, .busy, .refused, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "removed, or nothing to remove", .failure: "something can't be looked at, or removed",
            .invalidManifest: "a manifest is not valid: nothing was removed",
            .unreadable: "there is no library, or a manifest can't be read: nothing was removed",
            .refused: "a manifest was refused: nothing was removed", .interrupted: "stopped by SIGINT",
            .terminated: "stopped by SIGTERM",
        ]))

    func run() async -> Jobs.ExitCode {
        var manifests: [ManifestLocation] = []
        do throws(TransferURLError) {
            let base = try BaseURL.read(Self.base, of: parsed)
            for operand in parsed.operands { manifests.append(try ManifestLocation(operand, base: base)) }
        } catch {
            Console.writeError("larder: \(error)\n")
            return .usage
        }
        let control = RunControl()
        let style = OutputStyle(parsed)
        let printer = RunPrinter(style: style, tellsEvents: parsed[OutputOptions.json])
        printer.start(control)
        let isRehearsal = parsed[Self.dryRun]
        let (report, exit) = await CleanRun(
            libraryPath: parsed[LibraryOption.library], manifests: manifests, removesAllPartials: parsed[Self.partials],
            keep: keptGenerations, isRehearsal: isRehearsal, control: control, observer: printer.take
        ).run()
        printer.end()
        if let report, !style.isQuiet || isRehearsal {
            let line = Self.text(report, isRehearsal) + "\n"
            if parsed[OutputOptions.json] { Console.writeError(line) } else { Console.write(line) }
        }
        return exit
    }

    /// Nil: all of them.
    private var keptGenerations: CleanRun.Keep? {
        let (number, age) = (parsed[Self.keep], parsed[Self.keepAge])
        guard number != nil || age != nil else { return nil }
        return CleanRun.Keep(
            generations: number ?? RunArguments.keptGenerations, age: age ?? RunArguments.keptAge)
    }

    /// `removed 2 paused downloads (1.2 MB), 1 old generation, 3 contents that no generation names; 73.2 MB freed`
    private static func text(_ report: CleanRun.Report, _ isRehearsal: Bool) -> String {
        guard report.partials + report.generations + report.contents > 0 || report.otherBytes > 0 else {
            return "nothing to remove"
        }
        let downloads = report.partials == 1 ? "paused download" : "paused downloads"
        let generations = HumanQuantity.count(report.generations, "old generation", "old generations")
        let contents = report.contents == 1 ? "content" : "contents"
        let freed = HumanQuantity.bytes(report.partialBytes.addingClamped(report.otherBytes))
        return "\(isRehearsal ? "would remove" : "removed") \(report.partials) \(downloads) "
            + "(\(HumanQuantity.bytes(report.partialBytes))), "
            + (report.generations > 0 ? "\(generations), " : "")
            + "\(report.contents) \(contents) that no generation names; "
            + "\(freed) \(isRehearsal ? "would be free" : "freed")"
    }
}
