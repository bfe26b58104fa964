import Glibc
import Jobs
import Platform

/// Shows a run: problems and a live display on stderr, and one line at the end; where asked for, every event on stdout.
final class RunPrinter: Sendable {
    /// What goes to stdout.
    enum Output: Sendable {
        /// The line at the end.
        case summary
        /// Events as JSON lines; the line at the end goes to stderr.
        case events
        /// Nothing: it is somebody else's. The line at the end goes to stderr.
        case none
    }

    private let style: OutputStyle
    private let output: Output
    private let summarize: @Sendable (RunSummary, ExitCode) -> SummaryLine?
    private let display: ProgressDisplay

    /// - Parameter summarize: makes the line at the end; nil for none.
    init(
        style: OutputStyle, output: Output,
        summarize: @escaping @Sendable (RunSummary, ExitCode) -> SummaryLine? = { SummaryLine($0, $1) }
    ) {
        self.style = style
        self.output = output
        self.summarize = summarize
        // Where the events are on the screen, too, it would erase them.
        display = ProgressDisplay(
            isLive: style.showsProgress && !(output == .events && Terminal.isTerminal(STDOUT_FILENO)))
    }

    /// For a command that tells by itself what became of its work.
    convenience init(style: OutputStyle, tellsEvents: Bool) {
        self.init(style: style, output: tellsEvents ? .events : .summary) { _, _ in nil }
    }

    func start() { display.start() }

    /// The same for work that signals stop, or ask how far it is.
    func start(_ control: RunControl) {
        StopSignals.start(control) { self.printProgressLine() }
        start()
    }

    func end() { display.end() }

    /// Takes the run's events, from any thread.
    @Sendable func take(_ event: RunEvent) {
        if output == .events { Console.write(event.jsonLine + "\n") }
        display.take(event)
        if let line = line(for: event) { display.print(line) }
        if case .runFinished(let summary, let exit) = event.kind, !style.isQuiet,
            let line = summarize(summary, exit).map({ $0.text + "\n" })
        {
            display.end()
            if output == .summary { Console.write(line) } else { Console.writeError(line) }
        }
    }

    /// Tells people something that is no event of the run.
    func print(_ line: String) { display.print(line) }

    /// What SIGUSR1 asks for.
    func printProgressLine() { display.print(display.totalLine) }

    /// What people are told of an event, if anything.
    private func line(for event: RunEvent) -> String? {
        let subject = subject(of: event)
        switch event.kind {
        case .runFailed(_, let message): return "\(style.errorLabel) \(message)"
        case .manifestVerified(let key, let comment) where !style.isQuiet:
            return "\(subject)signed with the key \(key): \(escapedText(comment))"
        case .manifestFinding(let text, let refusal) where refusal != nil || style.isVerbose: return text
        case .bundleFailed(_, let message): return "\(style.errorLabel) \(subject)\(message)"
        case .warning(let message) where !style.isQuiet, .optionalBundleFailed(let message) where !style.isQuiet:
            return "\(style.warningLabel) \(subject)\(message)"
        case .notice(let message): return "\(style.warningLabel) \(subject)\(message)"
        case .networkWaiting where !style.isQuiet:
            return "\(style.warningLabel) no network leads to the sources from here: transfers wait until one does"
        case .transferRetrying(let reason, let delay) where style.isVerbose:
            return "\(subject)\(reason); trying again in \(HumanQuantity.duration(delay))"
        case .bundlePublished(let version) where style.isVerbose: return "\(subject)published, version \(version)"
        case .transferResumed(let offset) where style.isVerbose:
            return "\(subject)going on at \(HumanQuantity.bytes(offset))"
        case .contentDamaged(let damage, _): return "\(style.errorLabel) \(subject)\(damage)"
        case .contentMended(_, let isFetched) where !style.isQuiet:
            return "\(subject)mended\(isFetched ? "" : ", with what the library has")"
        case .diskPressure(let free, let wanted) where style.isVerbose:
            return "the disk is short of room: \(HumanQuantity.bytes(free)) free, \(HumanQuantity.bytes(wanted)) wanted"
        case .bytesQuarantined(let bytes, let name) where style.isVerbose:
            return
                "\(style.warningLabel) \(subject)it sent other bytes than the ones asked for; \(HumanQuantity.bytes(bytes)) are in the library, as .larder/quarantine/\(name)"
        case .partialEvicted(let bytes) where style.isVerbose:
            return "\(subject)paused download removed, \(HumanQuantity.bytes(bytes))"
        case .leftoversEvicted(let bytes) where style.isVerbose:
            return "what earlier runs had brought removed, \(HumanQuantity.bytes(bytes))"
        default: return nil
        }
    }

    /// `museum/gallery: http://…: `, as far as the event names them.
    private func subject(of event: RunEvent) -> String {
        var subject = ""
        if let manifest = event.manifest {
            subject += manifest + (event.bundle.map { "/\($0)" } ?? "") + ": "
        }
        return subject + (event.url.map { "\($0): " } ?? "")
    }
}
