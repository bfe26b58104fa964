import CommandLineParsing
import ContentLibrary
import Glibc
import Jobs
import Platform
import Transfer

/// What `refresh` knows beside what it has in common with `sync`.
struct RefreshOptions: Sendable {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let lock = CommandOption<RunOptions.LockPolicy>.value(
        "lock",
        ArgumentType(
            "skip|fail|wait:DURATION", expected: "skip, fail, or wait: and a duration such as wait:10m",
            completion: .words(["skip", "fail", "wait:10m"])
        ) { RunOptions.LockPolicy($0) }, default: .fail, defaultText: "fail",
        help: "if another run is at work; skip this one, fail, or wait so long for the library")

    private static let maxAge = CommandOption<Duration?>.optional(
        "max-age", .duration,
        help: "fail if not up to date for longer; even a run that is skipped, held back or paused")
    private static let jitter = CommandOption<Duration?>.optional(
        "jitter", .duration, help: "begin after a random part of this; so that a fleet doesn't come at once")
    private static let window = CommandOption<DailyWindow?>.optional(
        "window",
        ArgumentType("HH:MM-HH:MM", expected: "a part of the day such as 01:00-05:00") { DailyWindow($0) },
        help: "work only in this part of the day, local time; it may go past midnight")
    private static let monthCap = CommandOption<Int?>.optional(
        "month-cap", .positiveSize, help: "pause after so many body bytes in a month; those of all runs together")
    /// How long a run that nobody watches waits for a network where nothing else was asked for.
    static let defaultNetworkWait = Duration.seconds(300)
    private static let networkWait = CommandOption<Duration>.value(
        "network-wait", .duration, default: defaultNetworkWait, defaultText: "5m",
        help: "wait so long for a network; then pause; the lock is held meanwhile")
    private static let notOnBattery = CommandOption<Bool>.flag(
        "not-on-battery", help: "don't work while the machine lives on its battery")
    private static let notOver = CommandOption<[String]>.list(
        "not-over", .text("IFACE"),
        help: "not while a default route leads over one of these; an interface; wherever the sources are")
    private static let maxLoad = CommandOption<Double?>.optional(
        "max-load",
        ArgumentType("N", expected: "a number such as 0.5") { text in
            // No sign, no exponent, nothing but a number.
            guard
                text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
                )
            else { return nil }
            return Double(text)
        }, help: "don't begin while the load is above this; that of the last minute, for each processor")

    private static let metrics = CommandOption<String?>.optional(
        "metrics", .file(),
        help:
            "write Prometheus metrics there after each run; how it went, or why it wasn't begun, and how old everything is"
    )
    private static let ping = CommandOption<String?>.optional(
        "ping", .text("URL"),
        help: "ask for this after a success; and for URL/fail after a failure: a dead man's switch")
    private static let onChange = CommandOption<String?>.optional(
        "on-change", .text("COMMAND"), help: "run this in a shell after a new generation; with the lock held")

    static let group = OptionGroup(
        "Unattended", lock, maxAge, jitter, window, monthCap, networkWait, notOnBattery, notOver, maxLoad
    ).naming(jitter, networkWait, notOver, maxLoad)
    private static let printSystemd = CommandOption<Bool>.flag(
        "print-systemd",
        help: "print a systemd service and timer; they do what this command line says, which does nothing itself")
    private static let printCron = CommandOption<Bool>.flag(
        "print-cron", help: "print a line for crontab; it does what this command line says, which does nothing itself")
    private static let writeSystemd = CommandOption<String?>.optional(
        "write-systemd", .folder(), help: "write that service and timer there; such as into /etc/systemd/system")
    static let printingGroup = OptionGroup("Being run", printSystemd, writeSystemd, printCron).naming(writeSystemd)
    static let tellingGroup = OptionGroup("Telling others", metrics, ping, onChange)

    /// - Throws: for options that don't go together.
    func check() throws(UsageError) {
        let asked = [parsed[Self.printSystemd], parsed[Self.writeSystemd] != nil, parsed[Self.printCron]]
        guard asked.count(where: \.self) <= 1 else {
            throw parsed.usageError(
                "--print-systemd, --write-systemd and --print-cron do different things: use one after the other")
        }
        if let metrics = parsed[Self.metrics] { try checkMetrics(metrics) }
    }

    private func checkMetrics(_ path: String) throws(UsageError) {
        let shown = "--metrics: \(path.quotedForMessage())"
        // Where a file that replaces it is made, whatever link has its name now.
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? ""
        if let library = Library.around(folder, unmade: parsed[RunArguments.library]) {
            throw parsed.usageError(
                "\(shown) lies in the library \(library.quotedForMessage()), where nothing else may be written; name a file outside of it"
            )
        }
        do { _ = try Directory.placeForFile(named: path) } catch {
            // What is missing may be there at the end, when it is written.
            guard let error = error as? SystemError, [EISDIR, EEXIST, ENAMETOOLONG].contains(error.code) else { return }
            throw parsed.usageError(
                "\(shown) names a folder, or what is no file; name a file, such as larder.prom")
        }
    }

    /// What is to be done in the place of a run, if anything.
    /// - Parameter arguments: the command line, without the program's name.
    /// - Returns: what is to be printed.
    /// - Throws: for what can't be run again and again, or can't be written.
    func prepareSchedule(of arguments: [String]) throws -> String? {
        if parsed[Self.printSystemd] { return try scheduled(arguments).systemdText }
        if parsed[Self.printCron] { return try scheduled(arguments).cronLine() }
        guard let folder = parsed[Self.writeSystemd] else { return nil }
        let paths = try scheduled(arguments).writeSystemdUnits(into: folder)
        return paths.map { "\(escapedText($0))\n" }.joined()
    }

    private func scheduled(_ arguments: [String]) throws -> ScheduledCommand {
        // What a run would refuse is told now, and not every hour to nobody.
        _ = try healthPing(RunArguments(parsed).runOptions().options)
        guard !parsed.operands.contains("-") else {
            throw ScheduledCommand.Problem(
                description: "there is no standard input for a manifest when nobody is there")
        }
        var kept = Self.withoutSchedule(arguments)
        let library = parsed[RunArguments.library]
        // Who runs it later has another environment.
        if !parsed.isGiven(RunArguments.library) { kept.insert(contentsOf: ["--library", library], at: 1) }
        // It is started while the one before may still be at work.
        if !parsed.isGiven(Self.lock) { kept.insert(contentsOf: ["--lock", "skip"], at: 1) }
        return ScheduledCommand(kept, library: library, manifests: parsed.operands, window: parsed[Self.window])
    }

    /// The command line without what asked for a schedule; behind `--` nothing does.
    private static func withoutSchedule(_ arguments: [String]) -> [String] {
        let flags = [printSystemd, printCron].map { "--\($0.definition.name)" }
        let writing = "--\(writeSystemd.definition.name)"
        let options = arguments.prefix { $0 != "--" }
        var kept: [String] = []
        var isValue = false
        for argument in options {
            if !isValue, !flags.contains(argument), argument != writing, !argument.hasPrefix(writing + "=") {
                kept.append(argument)
            }
            isValue = argument == writing
        }
        return kept + arguments[options.count...]
    }

    /// Who is told how the run ended.
    /// - Throws: for a URL that can't be asked for.
    func healthPing(_ options: RunOptions) throws(SettingsProblem) -> HealthPing? {
        guard let url = parsed[Self.ping] else { return nil }
        do throws(HealthPing.URLProblem) { return try HealthPing(url, options.downloads.session) } catch {
            throw SettingsProblem(lines: ["--ping: \(error)"])
        }
    }

    /// When the run may work.
    var terms: RunTerms {
        var terms = RunTerms()
        terms.window = parsed[Self.window]
        terms.jitter = parsed[Self.jitter] ?? .zero
        terms.maximumAge = parsed[Self.maxAge]
        terms.conditions.needsMains = parsed[Self.notOnBattery]
        terms.conditions.unwantedInterfaces = Set(parsed[Self.notOver])
        terms.conditions.maximumLoad = parsed[Self.maxLoad]
        return terms
    }

    /// Makes of a run what was asked for.
    func adjust(_ options: inout RunOptions) {
        options.remembersManifests = true
        options.tellsBriefly = true
        options.sparesDistrusted = true
        options.lock = parsed[Self.lock]
        options.networkPatience = parsed[Self.networkWait]
        options.terms = terms
        options.changeCommand = parsed[Self.onChange]
        options.metricsPath = parsed[Self.metrics]
        options.monthlyBytes = parsed[Self.monthCap].map(Int64.init)
    }
}

extension RunOptions.LockPolicy {
    /// Reads `skip`, `fail`, or `wait:10m`.
    fileprivate init?(_ text: String) {
        switch text {
        case "skip": self = .skip
        case "fail": self = .fail
        default:
            guard text.hasPrefix("wait:"), let patience = parseDuration(String(text.dropFirst(5))) else { return nil }
            self = .wait(patience)
        }
    }
}
