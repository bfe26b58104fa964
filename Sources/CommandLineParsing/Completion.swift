/// What a shell may offer where an operand or the value of an option stands.
package enum Completion: Sendable {
    /// Nobody can know it.
    case nothing
    case words([String])
    /// Paths of files, and of the folders on the way to them.
    case files
    case folders
    /// Names that are found where the program runs, such as those of a library; none where anything is wrong with that.
    case names(@Sendable (PartialCommandLine) -> [String])
}
