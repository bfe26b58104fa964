import CommandLineParsing
import Glibc
import Platform

/// The options that all commands with output share.
enum OutputOptions {
    static let quiet = CommandOption<Bool>.flag("quiet", short: "q", help: "say nothing but what went wrong")
    static let verbose = CommandOption<Bool>.flag("verbose", short: "v", help: "tell each bundle and each retry")
    static let noProgress = CommandOption<Bool>.flag("no-progress", help: "no live display, even on a terminal")
    static let color = CommandOption<ColorChoice>.value("color", .word(), default: .auto, help: "colors in messages")
    static let json = CommandOption<Bool>.flag("json", help: "events as JSON lines on stdout")

    /// Those of a run that tells events.
    static let ofRun = OptionGroup("Output", json, quiet, verbose, noProgress, color)

    enum ColorChoice: String, CaseIterable, Sendable {
        case auto, always, never

        /// Whether what goes to a descriptor is colored.
        func usesColor(on descriptor: Int32) -> Bool {
            switch self {
            case .always: true
            case .never: false
            // https://no-color.org: any value that isn't empty.
            case .auto: Terminal.isTerminal(descriptor) && (Environment.variables["NO_COLOR"] ?? "").isEmpty
            }
        }
    }
}

/// How a run talks to people.
struct OutputStyle: Sendable {
    let isQuiet: Bool
    let isVerbose: Bool
    let usesColor: Bool
    let showsProgress: Bool

    /// For a run that nobody watches: nothing but what went wrong, unless more is asked for.
    init(ofUnattended parsed: ParsedCommand) { self.init(parsed, isQuiet: !parsed[OutputOptions.verbose]) }

    init(_ parsed: ParsedCommand, isQuiet: Bool = false) {
        self.isQuiet = isQuiet || parsed[OutputOptions.quiet]
        isVerbose = parsed[OutputOptions.verbose]
        showsProgress =
            Terminal.isTerminal(STDERR_FILENO) && !self.isQuiet && !parsed[OutputOptions.noProgress]
        usesColor = parsed[OutputOptions.color].usesColor(on: STDERR_FILENO)
    }

    /// `error` and `warning` as they begin a line.
    var errorLabel: String { usesColor ? "\u{1b}[1;31merror:\u{1b}[0m" : "error:" }
    var warningLabel: String { usesColor ? "\u{1b}[1;33mwarning:\u{1b}[0m" : "warning:" }
}
