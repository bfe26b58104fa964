import Platform

/// What of a library is held against its receipts, and within what bounds.
package struct VerifyOptions: Sendable {
    package var libraryPath: String
    /// What is looked at; everything where none is named.
    package var bundles: [BundleName] = []
    /// After this long nothing further is begun; nil: no bound.
    package var budget: Duration?
    /// Bytes a second that are read; nil: as fast as may be.
    package var bytesPerSecond: Int64?
    package var clock = RunClock.system

    package init(libraryPath: String) { self.libraryPath = libraryPath }
}
