import Platform

/// Why no manifest is made.
package enum CreationProblem: Error, Sendable {
    /// Files that no manifest can name: a line each of the first, and how many there are.
    case refusedNames([String], count: Int)
    /// There is nothing to name.
    case nothingFound
    /// Two operands of which one is, or lies in, the other; as they were typed, and safe to print.
    case overlapping(String, String)
    /// A file was written to while it was read, or a folder has other files than a moment ago.
    case changed(String)
    /// The manifest would be larger than this.
    case tooLarge(limitBytes: Int64)
    /// A presentation that the manifest names can't be read, and why.
    case brokenPresentation(String)
    /// None of so many files that the manifest names is among those that are looked at, by what it calls them.
    case nothingMatches(count: Int)
    /// The manifest has the highest serial that there is.
    case lastSerial
    /// A digest over several files, not all of which are there.
    case unknownJoinedDigest(String)
    /// What would be written isn't a valid manifest: the first findings, a line each.
    case invalid([String])
    /// A file can't be read, and why.
    case unreadable(String)
    case system(SystemError)
    /// The place for temporary files, where the manifest grows, can't be used, and why.
    case scratch(SystemError)
    case stopped

    /// Writes what the manifest is put together of.
    static func written<Result>(_ body: () throws(SystemError) -> Result) throws(CreationProblem) -> Result {
        do throws(SystemError) { return try body() } catch { throw .scratch(error) }
    }

    /// Does what the system may refuse.
    static func asked<Result>(_ body: () throws(SystemError) -> Result) throws(CreationProblem) -> Result {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}
