import ContentLibrary

/// Why a run, or a manifest of it, is not carried through.
struct RunProblem: Error, Sendable {
    let exit: ExitCode
    /// What is told of it.
    let events: [RunEvent.Kind]

    init(_ exit: ExitCode, _ line: String) {
        self.exit = exit
        events = [.runFailed(exit, message: line)]
    }

    init(_ error: LibraryError) { self.init(ExitCode(error), error.message) }

    /// - Parameter findings: what is wrong with a manifest, each with its place.
    init(_ exit: ExitCode, findings: [String]) {
        self.exit = exit
        events = findings.map { .manifestFinding(text: $0, refusal: exit) }
    }

    /// What is told of it, for whoever has no use for events.
    var lines: [String] {
        events.compactMap { event in
            switch event {
            case .runFailed(_, let message): message
            case .manifestFinding(let text, _): text
            default: nil
            }
        }
    }

    /// The run was stopped: nothing is wrong, and whoever stopped it knows.
    static let stopped = RunProblem(.paused, findings: [])
}
