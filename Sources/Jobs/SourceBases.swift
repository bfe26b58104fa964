import BundleManifest
import Transfer

/// What the relative URLs of a manifest resolve against: its mirrors, or else the place it was read from.
package struct SourceBases: Sendable {
    /// In the order they are tried; empty when there is nothing.
    private let bases: [TransferURL]

    package init(_ manifest: Manifest, readFrom location: ManifestLocation) {
        self.init(manifest, orElse: location.base)
    }

    /// - Parameter base: for a manifest without mirrors.
    init(_ manifest: Manifest, orElse base: TransferURL?) {
        let mirrors = manifest.mirrors.compactMap { try? TransferURL($0.text) }
        bases = mirrors.isEmpty ? [base].compactMap(\.self) : mirrors
    }

    /// Where a reference leads: one URL for each base; one in all where it is absolute, and none where it is not and there is no base.
    package func urls(of reference: URLReference) throws(TransferURLError) -> [TransferURL] {
        if reference.isAbsolute { return [try TransferURL(reference.text)] }
        return try bases.map { base throws(TransferURLError) in try base.resolving(reference.text) }
    }
}
