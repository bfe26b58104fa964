/// What a parser takes before it gives up.
package struct PlaylistLimits: Sendable {
    package var textBytes = 1 << 28
    package var lineBytes = 1 << 16
    package var segments = 1_000_000
    /// Initialization sections that differ.
    package var maps = 100_000
    /// Sets of keys that differ.
    package var keySets = 100_000
    /// Variants, renditions, I-frame streams, session data and keys of a master playlist, each.
    package var choices = 10_000
    /// Of one tag.
    package var attributes = 256
    package var variables = 1_000
    /// `KEYFORMAT`s that are in force together.
    package var keyFormats = 16
    /// What variables may make of a line.
    package var substitutedLineBytes = 1 << 16
    /// What they may make of all lines together: a short line could stand for a long one many times.
    package var substitutedBytes = 1 << 26
    /// Findings of one rule that are told. Later ones count, and are left out.
    package var findingsOfOneRule = 20

    package init() {}
}
