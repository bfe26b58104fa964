/// What became of how many files.
package struct UpdateCounts: Sendable {
    /// Their size or digest is another one now.
    package var renewed = 0
    /// They had no size or digest yet.
    package var completed = 0
    /// They weren't named before.
    package var added = 0
    /// They aren't there any more.
    package var gone = 0
    /// A link leads to them, and they aren't read.
    package var linked = 0
    /// They aren't there, and aren't named any more.
    package var pruned = 0
}
