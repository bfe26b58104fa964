/// A file or a variable that a manual page explains, beside what options say.
package struct ManualNote: Sendable {
    package enum Kind: Sendable {
        case file, variable
        /// A variable of what the command starts: its own page tells of it, and the program's doesn't.
        case passedVariable
    }

    let kind: Kind
    /// `LIBRARY/current`, `NO_COLOR`.
    let name: String
    /// Without a full stop.
    let help: String
    /// The commands that it concerns: those with one of these names, or with an option of this name.
    private let subjects: Set<String>

    /// - Parameter subjects: names of commands, and of options with their dashes.
    package init(_ kind: Kind, _ name: String, of subjects: String..., help: String) {
        (self.kind, self.name, self.subjects, self.help) = (kind, name, Set(subjects), help)
    }

    func concerns(_ command: Command) -> Bool {
        subjects.contains(command.name) || command.options.contains { subjects.contains("--\($0.name)") }
    }
}
