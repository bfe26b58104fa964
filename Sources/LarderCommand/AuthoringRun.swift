import CommandLineParsing
import Jobs
import ManifestAuthoring
import Platform

/// How far the making of a manifest has come, as a line.
protocol AuthoringProgress: Sendable {
    /// The state in one line.
    var line: String { get }
    init(isLive: Bool)
    func start()
    func end()
}

/// What the commands that make manifests have around them: signals, a line of progress, and how it is told that nothing was made.
struct AuthoringRun<Progress: AuthoringProgress> {
    let style: OutputStyle
    let control = RunControl()
    let progress: Progress

    init(_ parsed: ParsedCommand) {
        style = OutputStyle(parsed)
        progress = Progress(isLive: style.showsProgress)
    }

    /// Asked again and again by whoever is at work.
    var shouldStop: @Sendable () -> Bool {
        { [control] in
            control.noteActivity()
            return control.reason != nil
        }
    }

    /// Makes a manifest, and tells what becomes of that.
    /// - Parameter body: returns what is told at the end, unless nothing is to be.
    func carryOut(_ body: (Self) async throws -> String) async -> Jobs.ExitCode {
        StopSignals.start(control) { [progress] in Console.writeError(progress.line + "\n") }
        let watch = RunWatch(control)
        defer { withExtendedLifetime(watch) {} }
        do {
            let summary = try await body(self)
            if !style.isQuiet { Console.writeError(summary + "\n") }
            return .success
        } catch let error as UsageError {
            Console.writeError("larder: \(error)\n")
            return .usage
        } catch let error as SettingsProblem {
            return error.tell()
        } catch {
            // Somebody who stops it hears of what went wrong besides.
            if let reason = control.reason, Self.isStop(error) { return reason.exit }
            let problem = AuthoringProblem(of: error)
            for line in problem.lines { Console.writeError("\(style.errorLabel) \(line)\n") }
            return control.reason?.exit ?? problem.exit
        }
    }

    /// Does what takes long, with the line of progress on a terminal.
    /// - Throws: `Stopped` where that was asked for meanwhile, so that nothing is written.
    func working<Result>(_ work: () async throws -> Result) async throws -> Result {
        progress.start()
        defer { progress.end() }
        let result = try await work()
        guard control.reason == nil else { throw Stopped() }
        return result
    }

    private struct Stopped: Error {}

    /// Whether an error says no more than that somebody stopped the work.
    private static func isStop(_ error: any Error) -> Bool {
        switch error {
        case is Stopped: return true
        case let error as CreationProblem: if case .stopped = error { return true }
        case let error as ImportProblem: if case .stopped = error { return true }
        default: break
        }
        return false
    }
}

extension AuthoringProblem {
    fileprivate init(of error: any Error) {
        switch error {
        case let error as AuthoringProblem: self = error
        case let error as CreationProblem: self.init(error)
        case let error as ImportProblem: self.init(error)
        // What can't be read has said so itself.
        case let error as SystemError: self.init(error.isNoSpace ? .noSpace : .failure, "\(error)")
        default: self.init(.failure, "\(error)")
        }
    }
}
