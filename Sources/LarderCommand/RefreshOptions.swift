import CommandLineParsing
import Jobs

/// What `refresh` knows beside what it has in common with `sync`.
struct RefreshOptions: Sendable {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let lock = CommandOption<RunOptions.LockPolicy>.value(
        "lock",
        ArgumentType("skip|fail|wait:DURATION", expected: "skip, fail, or wait: and a duration such as wait:10m") {
            RunOptions.LockPolicy($0)
        }, default: .fail, defaultText: "fail", help: "what to do while another run holds the library")

    static let group = OptionGroup("Unattended", lock)

    /// Makes of a run what was asked for.
    func adjust(_ options: inout RunOptions) {
        options.remembersManifests = true
        options.tellsBriefly = true
        options.lock = parsed[Self.lock]
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
