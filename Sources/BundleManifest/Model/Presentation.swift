import Platform

/// An HLS presentation: what is copied of it, and how.
package struct Presentation: Sendable, Equatable {
    package let playlist: SourceFile
    package let selection: Selection
    /// How far a live one is followed; nil: it must have an end.
    package let recording: Recording?
    /// Whether segments that are encrypted are stored in the clear.
    package var isDecrypted: Bool

    /// When the copy of a live presentation ends, unless that ends before.
    package struct Recording: Sendable, Equatable {
        /// With what has come by then.
        package let end: Timestamp?
        /// When the copy plays this long.
        package let length: Duration?
        /// Whether segments that can't be had any more are left out, each told, and marked in the copy. Without, there is no copy then.
        package let mayHaveGaps: Bool
    }
}
