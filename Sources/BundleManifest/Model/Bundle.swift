/// One thing to fetch, verify, unpack and publish under its id.
package struct Bundle: Sendable, Equatable {
    package let id: BundleID
    package let title: String?
    /// Free text, for people and for decisions about what is new. Nil: derived from the digest or the validators.
    package let version: String?
    package let content: BundleContent
    /// Higher goes first; 0 unless given.
    package let priority: Int
    /// Whether its failure is an error rather than a warning; true unless given.
    package let isRequired: Bool
    /// Bundles of the same manifest that must be complete before this one starts. There are no cycles.
    package let after: [BundleID]
    package let tags: [String]
    /// Extra request headers, for the listed origins only.
    package let headers: [RequestHeader]

    package var kind: BundleKind { content.kind }

    /// The same, stored in the clear if it is a presentation that is encrypted.
    package var decrypted: Bundle {
        guard case .hls(var presentation) = content else { return self }
        presentation.isDecrypted = true
        return Bundle(
            id: id, title: title, version: version, content: .hls(presentation), priority: priority,
            isRequired: isRequired, after: after, tags: tags, headers: headers)
    }
}
