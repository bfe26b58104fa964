/// Why a run, or a manifest of it, is not carried through.
struct RunProblem: Error, Sendable {
    let exit: ExitCode
    /// Lines for people.
    let lines: [String]

    init(exit: ExitCode, lines: [String]) {
        self.exit = exit
        self.lines = lines
    }

    init(_ exit: ExitCode, _ line: String) { self.init(exit: exit, lines: [line]) }

    /// What is told of it.
    var events: [RunEvent.Kind] { lines.map { .runFailed(exit, message: $0) } }
}
