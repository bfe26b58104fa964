import Glibc
import Jobs
import Platform

/// Shows a run: events as JSON, or problems and a live display, and one line at the end.
final class RunPrinter: Sendable {
    private let style: OutputStyle
    private let printsJSON: Bool
    private let display: ProgressDisplay

    init(style: OutputStyle, printsJSON: Bool) {
        self.style = style
        self.printsJSON = printsJSON
        display = ProgressDisplay(isLive: style.showsProgress)
    }

    func start() { display.start() }

    func end() { display.end() }

    /// Takes the run's events, from any thread.
    @Sendable func take(_ event: RunEvent) {
        if printsJSON { Console.write(event.jsonLine + "\n") }
        display.take(event)
        if let line = line(for: event) { display.print(line) }
        if case .runFinished(let summary, let exit) = event.kind, !style.isQuiet {
            let line = SummaryLine(summary, exit).text
            display.end()
            if printsJSON { Console.writeError(line + "\n") } else { Console.write(line + "\n") }
        }
    }

    /// What SIGUSR1 asks for.
    func printProgressLine() { display.print(display.totalLine) }

    /// What people are told of an event, if anything.
    private func line(for event: RunEvent) -> String? {
        let subject = subject(of: event)
        switch event.kind {
        case .runFailed(_, let message): return "\(style.errorLabel) \(message)"
        case .bundleFailed(_, let message): return "\(style.errorLabel) \(subject)\(message)"
        case .warning(let message) where !style.isQuiet: return "\(style.warningLabel) \(subject)\(message)"
        case .transferRetrying(let reason, let delay) where style.isVerbose:
            return "\(subject)\(reason); trying again in \(HumanQuantity.duration(delay))"
        case .bundlePublished(let version) where style.isVerbose: return "\(subject)published, version \(version)"
        case .transferResumed(let offset) where style.isVerbose:
            return "\(subject)going on at \(HumanQuantity.bytes(offset))"
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

/// The line at the end of a run.
struct SummaryLine {
    let text: String

    init(_ summary: RunSummary, _ exit: Jobs.ExitCode) {
        let counts = [
            ("published", summary.published), ("unchanged", summary.unchanged), ("failed", summary.failed),
            ("paused", summary.paused),
        ].filter { $0.1 > 0 || $0.0 != "paused" }
        let isIdle = exit == .success && summary.published == 0 && summary.failed == 0
        text =
            (isIdle ? "nothing to do: " : "") + counts.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
            + "; fetched \(HumanQuantity.bytes(summary.fetchedBytes))"
            + ", resumed \(HumanQuantity.bytes(summary.resumedBytes))"
            + "; \(HumanQuantity.duration(summary.duration))"
    }
}
