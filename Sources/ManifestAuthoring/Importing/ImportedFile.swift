import Platform

/// A file that can be in a manifest.
struct ImportedFile: Sendable {
    let path: String
    let urls: [String]
    let local: LocalFile?
    var sizeBytes: Int64?
    var digest: SHA256Digest?
    /// By other algorithms.
    let otherDigests: [DigestAlgorithm: [UInt8]]
    let notes: [Note]
    /// In its list, for messages.
    let place: String

    struct Note: Sendable {
        /// Without the `x-` that it gets in a manifest.
        let key: String
        let value: String
    }
}
