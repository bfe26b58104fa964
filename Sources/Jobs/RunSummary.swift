/// What a run did, in numbers.
package struct RunSummary: Hashable, Sendable {
    /// Bundles.
    package var published = 0
    package var unchanged = 0
    package var failed = 0
    package var paused = 0
    /// Of the unchanged ones those that were damaged, and are whole again.
    package var mended = 0
    /// Bundles that readers had before, and that aren't wanted any more.
    package var removed = 0
    /// Body bytes received.
    package var fetchedBytes: Int64 = 0
    /// Bytes that were not fetched again thanks to resume data.
    package var resumedBytes: Int64 = 0
    /// Bytes that were not fetched again because another bundle's transfer brought them.
    package var coalescedBytes: Int64 = 0
    /// Bytes of content that was put into the store.
    package var writtenBytes: Int64 = 0
    package var requestCount = 0
    package var duration: Duration = .zero

    package init() {}
}
