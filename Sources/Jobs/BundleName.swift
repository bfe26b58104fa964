import ContentLibrary
import Diagnostics
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

    /// The one bundle that readers see which is meant.
    /// - Throws: `LibraryError` where there is none; `BundleNameError` where there are several.
    package func publishedBundle(in library: Library) throws -> BundleAddress {
        switch self {
        case .address(let address):
            guard try library.generations.isCurrent(address) else { throw unknown(in: library) }
            return address
        case .id(let id):
            return try only(
                try library.generations.currentManifests(with: id).map { BundleAddress(manifest: $0, bundle: id) },
                in: library)
        }
    }

    /// The one bundle which is meant of those that are published, or that a run has worked on.
    /// - Throws: `LibraryError` where there is none; `BundleNameError` where there are several.
    package func knownBundle(in library: Library) throws -> BundleAddress {
        let index = library.readStateIndex()
        switch self {
        case .address(let address):
            let isKnown = ((try? index?.bundles(of: address.manifest)) ?? [:])[address.bundle] != nil
            guard try isKnown || library.generations.isCurrent(address) else { throw unknown(in: library) }
            return address
        case .id(let id):
            let published = try library.generations.currentManifests(with: id)
            let known = ((try? index?.knownManifests()) ?? []).filter { manifest in
                ((try? index?.bundles(of: manifest)) ?? [:])[id] != nil
            }
            return try only(
                Set(published).union(known).sorted().map { BundleAddress(manifest: $0, bundle: id) }, in: library)
        }
    }

    private func only(_ found: [BundleAddress], in library: Library) throws -> BundleAddress {
        guard let first = found.first else { throw unknown(in: library) }
        guard found.count == 1 else {
            throw BundleNameError(
                "several manifests have a bundle '\(self)': name one of "
                    + found.map(\.description).joined(separator: ", "))
        }
        return first
    }

    /// That nothing in the library is called so; where nobody can tell what is current, that.
    /// - Parameter takesManifests: whether the id of a manifest would have done, too.
    package func unknown(in library: Library, takesManifests: Bool = false) -> LibraryError {
        if let problem = (try? library.currentProblem()) ?? nil { return LibraryError(.damaged, problem) }
        let hint = nearest(in: library, takesManifests).map { "did you mean '\($0)'? " } ?? ""
        return LibraryError(
            .unknownName, "\(escapedText(library.path)) has no bundle '\(self)'; \(hint)larder status lists them")
    }

    /// What was probably meant of what is published.
    private func nearest(in library: Library, _ takesManifests: Bool) -> String? {
        let manifests = (try? library.generations.currentManifests()) ?? []
        let bundles = manifests.flatMap { (try? library.generations.currentBundles(of: $0)) ?? [] }
        let names: [String] =
            switch self {
            case .address: bundles.map(\.description)
            case .id: bundles.map(\.bundle.description) + (takesManifests ? manifests.map(\.description) : [])
            }
        return nearestMatch(to: description, among: names)
    }
}

/// A name that means no bundle, or not a single one.
package struct BundleNameError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
