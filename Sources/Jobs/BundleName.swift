import ContentLibrary
import Platform

/// Which bundles somebody means: `MANIFEST/BUNDLE`, or the id of one of them.
package enum BundleName: Hashable, Sendable, CustomStringConvertible {
    case address(BundleAddress)
    /// Of a manifest, or of a bundle in whichever.
    case id(ContentID)

    package init(_ text: String) throws(BundleNameError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        switch (parts.count, ContentID(parts[0]), parts.last.flatMap { ContentID($0) }) {
        case (1, let id?, _): self = .id(id)
        case (2, let manifest?, let bundle?): self = .address(BundleAddress(manifest: manifest, bundle: bundle))
        default:
            throw BundleNameError(
                "'\(escapedText(text))' names no bundle: it has to be MANIFEST/BUNDLE, or the id of one of them")
        }
    }

    package var description: String {
        switch self {
        case .address(let address): "\(address)"
        case .id(let id): "\(id)"
        }
    }

    func means(_ bundle: BundleAddress) -> Bool {
        switch self {
        case .address(let address): address == bundle
        case .id(let id): id == bundle.manifest || id == bundle.bundle
        }
    }

    /// Whether any bundle of a manifest may be meant.
    func mayMean(bundleOf manifest: ContentID) -> Bool {
        switch self {
        case .address(let address): address.manifest == manifest
        case .id: true
        }
    }
}

/// A name that means no bundle, or not a single one.
package struct BundleNameError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
