import CommandLineParsing
import Downloads
import Jobs
import Platform
import Transfer

/// `larder verify`: holds a library at rest against what was published.
struct VerifyCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let budget = CommandOption<Duration?>.optional(
        "budget", .duration,
        help: "look at nothing further after this long; the next run goes on there. Mending takes its own time")
    private static let limitRate = CommandOption<Int?>.optional(
        "limit-rate", .positiveSize, help: "bytes a second, read from the disk and fetched")
    private static let repair = CommandOption<Bool>.flag(
        "repair", help: "mend what is damaged; by what the library has, else from the sources of what is published")
    private static let base = CommandOption<String?>.optional(
        "base", .text("URL"), help: "where relative URLs of published manifests lead; where nothing else tells")

    static let command = Command(
        "verify", summary: "hold a library at rest against what was published",
        description: """
            Reads every file that was published, as the disk has it, and tells what is missing, damaged, or doesn't \
            belong there; of presentations also whether they would play. What was looked at longest ago comes first. \
            Without --repair it takes no lock and writes nothing but the index, so that it may run beside others and on \
            a read-only disk; what it finds is mended by the next sync or refresh, too, but where a pin holds the library: there \
            --repair does it.
            """,
        operands: [
            Operand(
                "BUNDLE", .any, help: "MANIFEST/BUNDLE, or the id of one of them; by default everything",
                completion: LibraryNames.selections)
        ],
        groups: [
            OptionGroup("Library", LibraryOption.library, budget, limitRate, BackgroundOption.background),
            OptionGroup("Repair", repair, base, RunArguments.from, RunArguments.minFree, RunArguments.config),
            OutputOptions.ofRun,
        ],
        examples: [
            Example("larder verify --library /srv/media --budget 30m --background", "A part of it, every night."),
            Example("larder verify museum/gallery --library /srv/media --repair", "One bundle, and mend it."),
        ],
        exitCodes: Jobs.ExitCode.values(
            .success, .failure, .paused, .usage, .unreadable, .noSpace, .busy, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "all that was looked at is whole, or was mended",
            .failure: "damage was found, and not all of it mended",
            .paused: "the budget ended before everything was looked at; the next run goes on there",
            .usage: "wrong usage, or nothing in the library has that name", .unreadable: "there is no library",
            .noSpace: "no room to mend it", .busy: "another run holds the library, so that nothing can be mended",
            .interrupted: "stopped by SIGINT; the next run goes on there",
            .terminated: "stopped by SIGTERM; the next run goes on there",
        ]))

    func run() async -> Jobs.ExitCode {
        var options = VerifyOptions(libraryPath: parsed[LibraryOption.library])
        options.budget = parsed[Self.budget]
        options.bytesPerSecond = parsed[Self.limitRate].map(Int64.init)
        let repair: RunOptions?
        do {
            options.bundles = try parsed.operands.map { try BundleName($0) }
            repair = try parsed[Self.repair] ? repairOptions() : nil
        } catch let problem as SettingsProblem {
            return problem.tell()
        } catch {
            Console.writeError("larder: \(error)\n")
            return .usage
        }
        let control = RunControl()
        let style = OutputStyle(parsed)
        let printer = RunPrinter(style: style, tellsEvents: parsed[OutputOptions.json])
        let watch = RunWatch(control)
        defer { withExtendedLifetime(watch) {} }
        printer.start(control)
        let (report, exit) = await VerifyRun(options, control: control, observer: printer.take)
            .run(repairing: repair)
        printer.end()
        if let report, !style.isQuiet {
            let line = Self.text(report) + "\n"
            if parsed[OutputOptions.json] { Console.writeError(line) } else { Console.write(line) }
        }
        return exit
    }

    /// - Throws: `SettingsProblem`; `TransferURLError`.
    func repairOptions() throws -> RunOptions {
        let plan = try TransferPlan(config: parsed[RunArguments.config]) { settings in
            var downloads = settings.downloads()
            if let rate = parsed[Self.limitRate] { downloads.session.rateLimitBytesPerSecond = Int64(rate) }
            if parsed[BackgroundOption.background] { downloads.session.trafficClass = .lowerEffort }
            return downloads
        }
        var options = RunOptions(libraryPath: parsed[LibraryOption.library], manifests: [])
        options.command = Self.command.name
        options.downloads = plan.configuration(atMinute: Timestamp.now.localMinuteOfDay)
        options.redirects = plan.settings.redirects
        options.bodyBudgetBytes = plan.settings.bodyBudgetBytes
        options.networkPatience = RefreshOptions.defaultNetworkWait
        options.minimumFree = parsed[RunArguments.minFree].freeSpace
        options.couriers = try RunArguments.couriers(parsed)
        options.mending = MendingOrder([], base: try BaseURL.read(Self.base, of: parsed))
        return options
    }

    /// `3 contents read, 12 files of 1.2 GB: 1 damaged, 1 mended; 2 not reached`
    private static func text(_ report: VerifyRun.Report) -> String {
        let contents = report.contents == 1 ? "1 content" : "\(report.contents) contents"
        let files = report.files == 1 ? "1 file" : "\(report.files) files"
        var text = "\(contents) read, \(files) of \(HumanQuantity.bytes(report.bytes)): "
        var findings: [String] = []
        if !report.damaged.isEmpty { findings.append("\(report.damaged.count) damaged") }
        if report.damagedGenerations > 0 {
            findings.append("\(report.damagedGenerations) wrong with what is published of them")
        }
        text += findings.isEmpty ? "all whole" : findings.joined(separator: ", ")
        if report.mended > 0 { text += ", \(report.mended) mended" }
        return text + (report.remaining > 0 ? "; \(report.remaining) not reached" : "")
    }
}
