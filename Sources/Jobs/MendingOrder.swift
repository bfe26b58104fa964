import BundleManifest
import ContentLibrary
import Transfer

/// What a run is to mend that does nothing else.
package struct MendingOrder: Sendable {
    /// What was found damaged.
    package let contents: Set<StoreAddress>
    /// What relative URLs of published manifests are relative to, where neither they nor what came of them tell.
    package let base: TransferURL?
    private let bundles: Set<BundleAddress>

    package init(_ contents: Set<StoreAddress>, base: TransferURL? = nil) {
        self.contents = contents
        self.base = base
        bundles = Set(contents.map(\.bundle))
    }

    /// Whether some content of a bundle is damaged.
    func names(_ bundle: Bundle, of manifest: ContentID) -> Bool {
        ContentID(bundle.id.text).map { bundles.contains(BundleAddress(manifest: manifest, bundle: $0)) } ?? false
    }
}
