/// A segment of a `segments` bundle.
package struct SegmentEntry: Sendable, Equatable {
    package let path: String
    package let source: SourceFile
    package let duration: Duration?
}
