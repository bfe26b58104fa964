import BundleManifest
import ContentLibrary
import Glibc
import Jobs
import Platform

/// What a library holds of a manifest's bundles.
package struct LibraryLook: Sendable {
    private let library: Library
    private let published: Generation?

    /// - Throws: `notALibrary` where there is none.
    package init(path: String) throws(LibraryError) {
        library = try Library.open(path, for: .reading)
        published = try library.generations.current()
    }

    /// Content of a bundle.
    struct Holding {
        let content: StoredContent
        let receipt: Receipt
        /// Whether it is what the manifest asks for.
        let isWanted: Bool
    }

    /// What is stored of a bundle and is what the manifest asks for, or else what is published; nil for nothing, or nothing that is to be believed.
    func holding(of bundle: Bundle, in manifest: BundleID) -> Holding? {
        guard let manifestID = ContentID(manifest.text), let bundleID = ContentID(bundle.id.text) else { return nil }
        let address = BundleAddress(manifest: manifestID, bundle: bundleID)
        let key = bundle.storeKey(digests: bundle.knownDigests)
        let wanted = key.flatMap { key in
            try? library.store.find(Receipt.Origin(bundle: address, version: bundle.version, key: key))
        }
        let current = published?.manifests[manifestID]?[bundleID].flatMap { name in
            try? library.store.open(StoreAddress(bundle: address, name: name))
        }
        guard let content = wanted ?? current, let receipt = try? content.receipt() else { return nil }
        return Holding(content: content, receipt: receipt, isWanted: content.header.origin.key == key?.digest)
    }
}

extension LibraryLook.Holding {
    /// A file of the content.
    func file(at path: String) throws -> LocalFile {
        let path = try RelativePath(path)
        let descriptor = try content.open().open(path, flags: O_RDONLY | O_NONBLOCK)
        return try LocalFile(descriptor, name: "'\(path)' in the library")
    }
}
