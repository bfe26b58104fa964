import Platform

/// Why no manifest is made of lists.
package enum ImportProblem: Error, Sendable {
    /// A list isn't what it should be: a line that names the place.
    case invalid(String)
    /// Files that no manifest can name, or that nothing can be had of: a line each of the first, and how many there are.
    case refused([String], count: Int)
    /// The same of files that were to be hashed, and couldn't be fetched or are something else than the list says.
    case unhashed([String], count: Int)
    /// The manifest would be larger than this.
    case tooLarge(limitBytes: Int64)
    case system(SystemError)
    /// The place for temporary files, where the manifest grows and files are fetched to, can't be used, and why.
    case scratch(SystemError)
    case stopped

    /// Writes what the manifest is put together of.
    package static func written<Result>(_ body: () throws(SystemError) -> Result) throws(ImportProblem) -> Result {
        do throws(SystemError) { return try body() } catch { throw .scratch(error) }
    }

    /// Does what the system may refuse.
    static func asked<Result>(_ body: () throws(SystemError) -> Result) throws(ImportProblem) -> Result {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}
