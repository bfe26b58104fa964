import Platform

/// The next generation while it is being put together: what a run touched, and everything else as it was.
package struct GenerationDraft: Sendable {
    struct Manifest: Sendable {
        /// Nil: as in the base.
        var bytes: [UInt8]?
        /// Nil: as in the base, where these are its bytes.
        var signature: [UInt8]?
        var bundles: [ContentID: StoreName]
    }

    /// What rolls forward; nil for the first generation.
    package let base: Generation?
    private(set) var manifests: [ContentID: Manifest]

    package init(base: Generation?) {
        self.base = base
        manifests = base?.manifests.mapValues { Manifest(bytes: nil, bundles: $0) } ?? [:]
    }

    /// Puts a manifest in, in place of what it had before.
    /// - Parameters:
    ///   - bytes: the manifest, exactly as it was read.
    ///   - signature: what proved whose it is, if anybody asked.
    ///   - contents: what was obtained for its bundles.
    ///   - rollingForward: its other bundles: each keeps the content it has in the base, if it has any.
    package mutating func setManifest(
        _ manifest: ContentID, bytes: [UInt8], signature: [UInt8]? = nil, contents: [StoredContent],
        rollingForward others: some Sequence<ContentID> = []
    ) {
        var bundles: [ContentID: StoreName] = [:]
        for bundle in others { bundles[bundle] = base?.manifests[manifest]?[bundle] }
        for content in contents {
            precondition(content.address.bundle.manifest == manifest, "\(content.address) is of another manifest")
            bundles[content.address.bundle.bundle] = content.address.name
        }
        manifests[manifest] = Manifest(bytes: bytes, signature: signature, bundles: bundles)
    }

    /// Takes a manifest and its bundles out.
    package mutating func removeManifest(_ manifest: ContentID) { manifests[manifest] = nil }

    /// Whether publishing this would tell readers anything new.
    func differsFromBase() throws(LibraryError) -> Bool {
        guard let base else { return !manifests.isEmpty }
        guard manifests.mapValues(\.bundles) == base.manifests else { return true }
        for (manifest, content) in manifests {
            if let bytes = content.bytes, try base.manifestBytes(manifest) != bytes { return true }
        }
        return false
    }
}
