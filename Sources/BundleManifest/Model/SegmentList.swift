/// The segments of a bundle in playing order.
package struct SegmentList: Sendable, Equatable {
    /// At least one.
    package let segments: [SegmentEntry]
    package let join: JoinedFile?

    /// How long all of them play; nil where one doesn't tell.
    package var duration: Duration? {
        segments.reduce(Duration.zero) { sum, segment in
            guard let sum, let duration = segment.duration else { return nil }
            return sum + duration
        }
    }
}
