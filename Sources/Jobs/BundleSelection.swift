import ContentLibrary

/// The bundles that some names mean.
package struct BundleSelection: Sendable {
    private let names: [BundleName]

    package init(_ names: [BundleName]) { self.names = names }

    func has(_ bundle: BundleAddress) -> Bool { names.contains { $0.means(bundle) } }

    /// Whether any bundle of a manifest may be among them.
    func mayHave(bundleOf manifest: ContentID) -> Bool { names.contains { $0.mayMean(bundleOf: manifest) } }
}
