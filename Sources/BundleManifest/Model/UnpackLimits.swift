/// What an archive may grow to. The stricter of these and the operator's limits wins; nil: the manifest asks for no limit.
package struct UnpackLimits: Sendable, Equatable {
    package var entries: Int?
    package var totalBytes: Int?
    package var entryBytes: Int?
    /// Unpacked bytes for each packed one.
    package var ratio: Double?
    /// Path components of an entry.
    package var depth: Int?

    package init() {}
}
