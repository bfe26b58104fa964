import BundleManifest
import Transfer

/// What the relative URLs of a manifest resolve against: its mirrors, or else the place it was read from.
package struct SourceBases: Sendable {
    /// In the order they are tried; empty when there is nothing.
    private let bases: [TransferURL]

    /// - Parameter mirrors: the manifest's.
    package init(_ mirrors: [URLReference], readFrom location: ManifestLocation) {
        self.init(mirrors, orElse: location.base)
    }

    /// - Parameter base: for a manifest without mirrors.
    init(_ mirrors: [URLReference], orElse base: TransferURL?) {
        let mirrors = mirrors.compactMap { try? TransferURL($0.text) }
        bases = mirrors.isEmpty ? [base].compactMap(\.self) : mirrors
    }

    /// Where all that is relative comes from.
    package var origins: [TransferURL.Origin] { bases.map(\.origin) }

    /// Where a reference leads: one URL for each base; one in all where it is absolute, and none where it is not and there is no base.
    package func urls(of reference: URLReference) throws(TransferURLError) -> [TransferURL] {
        if reference.isAbsolute { return [try TransferURL(reference.text)] }
        return try bases.map { base throws(TransferURLError) in try base.resolving(reference.text) }
    }
}
