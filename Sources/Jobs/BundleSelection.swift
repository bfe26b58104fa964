import ContentLibrary
import Platform

/// Which bundles somebody means by `MANIFEST`, `BUNDLE` or `MANIFEST/BUNDLE`.
package struct BundleSelection: Sendable {
    private let names: [Name]

    private enum Name {
        case address(BundleAddress)
        /// Of a manifest, or of a bundle in whichever.
        case id(ContentID)
    }

    /// Nil for nothing at all: then everything is meant.
    /// - Throws: for what can't be such a name.
    package init?(_ names: [String]) throws(BundleNameError) {
        guard !names.isEmpty else { return nil }
        self.names = try names.map { name throws(BundleNameError) in try Name(name) }
    }

    /// Whether any bundle of a manifest may be meant.
    func mayHave(_ manifest: ContentID) -> Bool {
        names.contains { name in
            switch name {
            case .address(let address): address.manifest == manifest
            case .id: true
            }
        }
    }

    func has(_ bundle: BundleAddress) -> Bool {
        names.contains { name in
            switch name {
            case .address(let address): address == bundle
            case .id(let id): id == bundle.manifest || id == bundle.bundle
            }
        }
    }
}

extension BundleSelection.Name {
    fileprivate init(_ text: String) throws(BundleNameError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        switch (parts.count, ContentID(parts[0]), parts.last.flatMap { ContentID($0) }) {
        case (1, let id?, _): self = .id(id)
        case (2, let manifest?, let bundle?): self = .address(BundleAddress(manifest: manifest, bundle: bundle))
        default: throw BundleNameError(text)
        }
    }
}

/// What can't be the name of a bundle.
package struct BundleNameError: Error, CustomStringConvertible {
    package let description: String

    init(_ text: String) {
        description = "'\(escapedText(text))' names no bundle: it has to be MANIFEST/BUNDLE, or the id of one of them"
    }
}
