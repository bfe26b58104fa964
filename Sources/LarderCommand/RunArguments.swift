import CommandLineParsing
import Downloads
import Glibc
import Jobs
import Platform
import Transfer

/// What `sync` and `refresh` have in common: their options, and the run that these ask for.
struct RunArguments: Sendable {
    let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    static let library = CommandOption<String>.required(
        "library", short: "l", .folder(), environment: "LARDER_LIBRARY",
        help: "the content library; made when missing")
    private static let only = CommandOption<[String]>.list(
        "only", .text("ID", completion: LibraryNames.bundleIDs), help: "these bundles alone")
    private static let tag = CommandOption<[String]>.list(
        "tag", .text("T"), help: "bundles with one of these tags alone")
    static let from = CommandOption<[String]>.repeated(
        "from", .folder("DIR|URL"),
        help: "take bytes from there before any mirror; a disk, or a neighbour's library; verified all the same")
    private static let base = CommandOption<String?>.optional(
        "base", .text("URL"), help: "where relative URLs of a manifest from - lead")
    private static let dryRun = CommandOption<Bool>.flag(
        "dry-run", short: "n", help: "tell what would be done, do nothing")
    private static let allOrNothing = CommandOption<Bool>.flag(
        "all-or-nothing", help: "publish nothing unless every bundle can be")
    private static let allowRollback = CommandOption<Bool>.flag(
        "allow-rollback", help: "take a manifest with a lower serial")
    private static let allowExpired = CommandOption<Bool>.flag(
        "allow-expired", help: "take a manifest that has expired")
    private static let decrypt = CommandOption<Bool>.flag(
        "decrypt", help: "store presentations' encrypted segments in the clear")
    static let keep = CommandOption<Int>.value(
        "keep", .integer(1...1000), default: keptGenerations, help: "generations that stay")
    static let keepAge = CommandOption<Duration>.value(
        "keep-age", .duration, default: keptAge, defaultText: "1d", help: "younger generations stay too")
    static let (keptGenerations, keptAge) = (2, Duration.seconds(86_400))

    static let jobs = CommandOption<Int>.value(
        "jobs", short: "j", .integer(1...256), default: 8, help: "transfers at once")
    static let perHost = CommandOption<Int>.value(
        "per-host", .integer(1...256), default: 6, help: "of these from one host")
    static let split = CommandOption<SplitPolicy>.split
    static let limitRate = CommandOption<Int?>.optional(
        "limit-rate", .positiveSize, help: "bytes a second for the run as a whole")
    private static let maxBytes = CommandOption<Int?>.optional(
        "max-bytes", .size, help: "pause once this many body bytes came in; 0: take nothing over the network")
    private static let deadline = CommandOption<Duration?>.optional(
        "deadline", .duration, help: "pause after this long")
    static let minFree = CommandOption<SizeOrPercent>.value(
        "min-free", .sizeOrPercent, default: .percent(5), help: "room that stays free on the disk")
    static let retries = CommandOption<Int>.value(
        "retries", .integer(0...1000), default: 5, help: "tries after the first; counted anew after progress")

    static let config = CommandOption<String?>.optional(
        "config", .file(), help: "session settings as JSON; the command line wins over them")

    static let operands = [
        Operand(
            "MANIFEST", .oneOrMore, help: "a path, an http(s) URL, or - for standard input", completion: .files)
    ]
    static let libraryGroup = OptionGroup(
        "Library", library, only, tag, base, from, dryRun, allOrNothing, allowRollback, allowExpired,
        PublicKeyOption.publicKey, decrypt, keep, keepAge
    ).naming(tag, base, allowRollback, allowExpired, decrypt, keepAge)
    static let transfersGroup = OptionGroup(
        "Transfers", jobs, perHost, split, limitRate, maxBytes, deadline, minFree, retries, BackgroundOption.background,
        config
    ).naming(perHost, split, retries, BackgroundOption.background, config)
    static let outputGroup = OutputOptions.ofRun.naming(OutputOptions.noProgress, OutputOptions.color)
    static let exitCodes = Jobs.ExitCode.values(
        .success, .failure, .partial, .paused, .usage, .invalidManifest, .unreadable, .noSpace, .busy, .refused,
        .interrupted, .terminated)

    /// Whoever carries out a run.
    typealias Body = (RunOptions, RunControl, RunPrinter) async -> Jobs.ExitCode

    /// Lets `body` carry out the run with all that belongs to one: signals, settings that are read again, sleep and networks, a printer.
    /// `--dry-run` is carried out here.
    /// - Parameters:
    ///   - adjust: sets what the command itself knows.
    ///   - tick: called every second while the run lasts; must not block.
    func run(
        _ style: OutputStyle, hasSummary: Bool = true, adjust: (inout RunOptions) -> Void = { _ in },
        tick: @escaping @Sendable (RunControl) -> Void = { _ in }, _ body: Body
    ) async -> Jobs.ExitCode {
        var (options, plan): (RunOptions, TransferPlan)
        do { (options, plan) = try runOptions() } catch let problem as SettingsProblem {
            return problem.tell()
        } catch {
            Console.writeError("larder: \(error)\n")
            return .usage
        }
        options.command = parsed.command.name
        adjust(&options)
        let control = RunControl()
        let isRehearsal = parsed[Self.dryRun]
        let printer = RunPrinter(style: style, output: parsed[OutputOptions.json] ? .events : .summary) {
            isRehearsal || !hasSummary ? nil : SummaryLine($0, $1)
        }
        let reload = settingsReload(plan, of: control, printer)
        StopSignals.start(control, reload: reload.map { $0.request }) { printer.printProgressLine() }
        let watch = RunWatch(control) {
            reload?.tick()
            tick(control)
        }
        defer { withExtendedLifetime(watch) {} }
        printer.start()
        defer { printer.end() }
        guard isRehearsal else { return await body(options, control, printer) }
        let report = await DryRun(options, control: control, observer: printer.take).run()
        let text = DryRunText(report).text
        // On a terminal the display would take away as many lines of it.
        printer.end()
        if parsed[OutputOptions.json] { Console.writeError(text) } else { Console.write(text) }
        return report.exit
    }

    /// - Throws: `SettingsProblem`; `TransferURLError`.
    func runOptions() throws -> (options: RunOptions, plan: TransferPlan) {
        let base = try BaseURL.read(Self.base, of: parsed)
        var manifests: [ManifestLocation] = []
        for operand in parsed.operands { manifests.append(try ManifestLocation(operand, base: base)) }
        var options = RunOptions(libraryPath: parsed[Self.library], manifests: manifests)
        options.onlyBundles = Set(parsed[Self.only])
        options.onlyTags = Set(parsed[Self.tag])
        let plan = try transferPlan()
        setTransfers(&options, plan)
        options.allOrNothing = parsed[Self.allOrNothing]
        options.allowsRollback = parsed[Self.allowRollback]
        options.allowsExpired = parsed[Self.allowExpired]
        let keys = try PublicKeyOption.keys(parsed)
        options.publicKeys = keys.isEmpty ? plan.settings.publicKeys : keys
        options.decrypts = parsed[Self.decrypt]
        options.couriers = try Self.couriers(parsed)
        options.keptGenerations = parsed[Self.keep]
        options.keepAge = parsed[Self.keepAge]
        options.maximumBytes = parsed[Self.maxBytes].map(Int64.init)
        options.deadline = parsed[Self.deadline]
        options.minimumFree = parsed[Self.minFree].freeSpace
        return (options, plan)
    }

    static func couriers(_ parsed: ParsedCommand) throws(TransferURLError) -> [CourierLocation] {
        try parsed[from].map { argument throws(TransferURLError) in try CourierLocation(argument) }
    }

    /// What SIGHUP and the clock do; nil without `--config`.
    private func settingsReload(
        _ plan: TransferPlan, of control: RunControl, _ printer: RunPrinter
    ) -> SettingsReload? {
        guard parsed[Self.config] != nil else { return nil }
        return SettingsReload(
            plan, read: { () throws(SettingsProblem) in try transferPlan() },
            take: { configuration, reason throws(ConfigurationError) in
                try await control.reconfigure(configuration, because: reason)
            }, complain: { printer.print($0) })
    }

    /// The settings of `--config`, and what the command line itself says over them.
    func transferPlan() throws(SettingsProblem) -> TransferPlan {
        try TransferPlan(config: parsed[Self.config], apply: configuration)
    }

    @Sendable private func configuration(_ settings: SessionSettings) -> DownloaderConfiguration {
        var downloads = settings.downloads()
        if let rate = parsed[Self.limitRate] { downloads.session.rateLimitBytesPerSecond = Int64(rate) }
        if parsed[BackgroundOption.background] { downloads.session.trafficClass = .lowerEffort }
        // A further connection of a transfer counts as one more.
        downloads.maximumTransfers = min(parsed[Self.jobs], settings.maximumConnections ?? .max)
        downloads.maximumTransfersPerHost = chosen(Self.perHost, over: settings.connectionsPerHost)
        downloads.split = chosen(Self.split, over: settings.split)
        downloads.retry.retries = chosen(Self.retries, over: settings.retries)
        return downloads
    }

    private func setTransfers(_ options: inout RunOptions, _ plan: TransferPlan) {
        options.downloads = plan.configuration(atMinute: Timestamp.now.localMinuteOfDay)
        options.redirects = plan.settings.redirects
        options.bodyBudgetBytes = plan.settings.bodyBudgetBytes
    }

    private func chosen<Value>(_ option: CommandOption<Value>, over setting: Value?) -> Value {
        parsed.isGiven(option) ? parsed[option] : setting ?? parsed[option]
    }
}

extension SizeOrPercent {
    var freeSpace: RunOptions.FreeSpace {
        switch self {
        case .bytes(let bytes): .bytes(Int64(bytes))
        case .percent(let percent): .percent(percent)
        }
    }
}
