import Platform

/// What a library is stocked from: format `larder/1`, checked as far as the text alone allows.
package struct Manifest: Sendable, Equatable {
    package let id: BundleID
    /// At least 1; a library refuses to go back.
    package let serial: Int
    package let created: Timestamp?
    /// From then on the manifest is refused. Nil: never.
    package let expires: Timestamp?
    /// Absolute bases for relative URLs, tried in order. Empty: relative URLs resolve against where the manifest was read from.
    package let mirrors: [URLReference]
    /// At least one, each with an id of its own, in the order of the text.
    package let bundles: [Bundle]
}
