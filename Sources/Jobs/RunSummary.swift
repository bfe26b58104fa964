/// What a run did, in numbers.
package struct RunSummary: Hashable, Sendable {
    /// Bundles.
    package var published = 0
    package var unchanged = 0
    package var failed = 0
    package var paused = 0
    /// Of the unchanged ones those that were damaged, and are whole again.
    package var mended = 0
    /// Of the unchanged ones those that were obtained anew and turned out to be the same.
    package var renewed = 0
    /// Bundles that readers had before, and that aren't wanted any more.
    package var removed = 0
    /// Body bytes received.
    package var fetchedBytes: Int64 = 0
    /// Bytes that were not fetched again thanks to resume data.
    package var resumedBytes: Int64 = 0
    /// Bytes that were not fetched again because another bundle's transfer brought them.
    package var coalescedBytes: Int64 = 0
    /// Bytes of files that couriers had; what came from neighbours was received as well.
    package var courierBytes: Int64 = 0
    /// Bytes of sources that are files of this machine.
    package var copiedBytes: Int64 = 0
    /// Bytes of content that was put into the store.
    package var writtenBytes: Int64 = 0
    package var requestCount = 0
    /// The generation that was published, if one was.
    package var generation: Int?
    package var duration: Duration = .zero
    /// What ended it before all was done; nil where nothing did.
    package var stop: StopReason?

    package init() {}
}
