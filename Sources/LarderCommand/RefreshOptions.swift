import CommandLineParsing
import Jobs
import Platform
import Transfer

/// What `refresh` knows beside what it has in common with `sync`.
struct RefreshOptions: Sendable {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let lock = CommandOption<RunOptions.LockPolicy>.value(
        "lock",
        ArgumentType("skip|fail|wait:DURATION", expected: "skip, fail, or wait: and a duration such as wait:10m") {
            RunOptions.LockPolicy($0)
        }, default: .fail, defaultText: "fail", help: "what to do while another run holds the library")

    private static let maxAge = CommandOption<Duration?>.optional(
        "max-age", .duration,
        help: "a run that is skipped or held back fails when the library was last up to date longer ago")
    private static let jitter = CommandOption<Duration?>.optional(
        "jitter", .duration, help: "begin after a random part of this, so that a fleet doesn't come at once")
    private static let window = CommandOption<DailyWindow?>.optional(
        "window",
        ArgumentType("HH:MM-HH:MM", expected: "a part of the day such as 01:00-05:00") { DailyWindow($0) },
        help: "work only in this part of the day, local time; it may go past midnight")
    private static let monthCap = CommandOption<Int?>.optional(
        "month-cap", .positiveSize, help: "pause once all runs of a month received so many body bytes")
    /// How long a run that nobody watches waits for a network where nothing else was asked for.
    static let defaultNetworkWait = Duration.seconds(300)
    private static let networkWait = CommandOption<Duration>.value(
        "network-wait", .duration, default: defaultNetworkWait, defaultText: "5m",
        help: "pause after waiting so long for a network, with the lock held")
    private static let notOnBattery = CommandOption<Bool>.flag(
        "not-on-battery", help: "don't work while the machine lives on its battery")
    private static let notOver = CommandOption<[String]>.list(
        "not-over", .text("IFACE"),
        help: "don't work while a default route leads over one of these interfaces, wherever the sources are")
    private static let maxLoad = CommandOption<Double?>.optional(
        "max-load",
        ArgumentType("N", expected: "a number such as 0.5") { text in
            // No sign, no exponent, nothing but a number.
            guard
                text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
                )
            else { return nil }
            return Double(text)
        }, help: "don't begin while the load of the last minute is above this for each processor")

    private static let metrics = CommandOption<String?>.optional(
        "metrics", .text("FILE"),
        help: "write there, after each run, how it went, or why it wasn't begun, and how old everything is (Prometheus)"
    )
    private static let ping = CommandOption<String?>.optional(
        "ping", .text("URL"),
        help: "ask for this after a success, and for URL/fail after a failure: a dead man's switch")
    private static let onChange = CommandOption<String?>.optional(
        "on-change", .text("COMMAND"), help: "run this in a shell after a new generation, with the lock held")

    static let group = OptionGroup(
        "Unattended", lock, maxAge, jitter, window, monthCap, networkWait, notOnBattery, notOver, maxLoad)
    private static let printSystemd = CommandOption<Bool>.flag(
        "print-systemd", help: "print a systemd service and timer that do what this command line says, and do nothing")
    private static let printCron = CommandOption<Bool>.flag(
        "print-cron", help: "print a line for crontab that does what this command line says, and do nothing")
    static let printingGroup = OptionGroup("Being run", printSystemd, printCron)
    static let tellingGroup = OptionGroup("Telling others", metrics, ping, onChange)

    /// What is to be printed in the place of a run, if anything.
    /// - Parameter arguments: the command line, without the program's name.
    /// - Throws: for what can't be run again and again.
    func printout(of arguments: [String]) throws(ScheduledCommand.Problem) -> String? {
        guard parsed[Self.printSystemd] || parsed[Self.printCron] else { return nil }
        guard !parsed.operands.contains("-") else {
            throw ScheduledCommand.Problem(
                description: "there is no standard input for a manifest when nobody is there")
        }
        var kept = arguments.filter { !["--print-systemd", "--print-cron"].contains($0) }
        let library = parsed[RunArguments.library]
        // Who runs it later has another environment.
        if !parsed.isGiven(RunArguments.library) { kept.insert(contentsOf: ["--library", library], at: 1) }
        let command = ScheduledCommand(kept, library: library, window: parsed[Self.window])
        return (parsed[Self.printSystemd] ? command.systemdUnits : "")
            + (parsed[Self.printCron] ? try command.cronLine() : "")
    }

    /// Who is told how the run ended.
    /// - Throws: for a URL that can't be asked for.
    func healthPing(_ options: RunOptions) throws(HealthPing.URLProblem) -> HealthPing? {
        guard let url = parsed[Self.ping] else { return nil }
        return try HealthPing(url, options.downloads.session)
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
