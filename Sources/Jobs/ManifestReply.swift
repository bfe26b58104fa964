import ContentLibrary
import Platform

/// A manifest that an earlier run read from the same place, and that is published: what a server is asked about.
struct KnownManifest: Sendable {
    let record: ManifestRecord
    /// The exact bytes that were published.
    let bytes: [UInt8]
    /// The signature that lies beside it, if any: where it is a right one, it needn't be asked for.
    let signature: [UInt8]?
}

/// A manifest's text as it was read.
struct ManifestReply: Sendable {
    let bytes: [UInt8]
    /// What the server says distinguishes these bytes from later ones; nil for a file, and where it says nothing.
    var validator: String?
    /// Whether it is what is known already.
    var isUnchanged = false
}
