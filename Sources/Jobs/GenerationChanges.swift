import ContentLibrary

/// What readers find changed between two generations.
struct GenerationChanges {
    /// Bundles that are new, or have other content.
    let changed: [BundleAddress]
    let removed: [BundleAddress]

    /// - Parameter old: nil where there was none, or it is gone: then all is new.
    init(from old: Generation?, to new: Generation) {
        let before = Self.contents(old)
        let after = Self.contents(new)
        changed = after.filter { before[$0.key] != $0.value }.keys.sorted()
        removed = before.keys.filter { after[$0] == nil }.sorted()
    }

    private static func contents(_ generation: Generation?) -> [BundleAddress: StoreName] {
        var contents: [BundleAddress: StoreName] = [:]
        for (manifest, bundles) in generation?.manifests ?? [:] {
            for (bundle, name) in bundles { contents[BundleAddress(manifest: manifest, bundle: bundle)] = name }
        }
        return contents
    }
}
