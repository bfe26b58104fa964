import Platform

/// The id of a manifest, or of a bundle in its manifest, as ``LibraryName`` takes it.
package struct ContentID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id as a path component.
    package let path: RelativePath

    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBufferPointer(LibraryName.accepts), let path = try? RelativePath(bytes) else {
            return nil
        }
        self.path = path
    }

    package init?(_ path: RelativePath) { self.init(String(decoding: path.bytes, as: UTF8.self)) }

    package var description: String { String(decoding: path.bytes, as: UTF8.self) }

    package static func < (left: ContentID, right: ContentID) -> Bool {
        left.path.bytes.lexicographicallyPrecedes(right.path.bytes)
    }
}

/// Which bundle of which manifest.
package struct BundleAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let manifest: ContentID
    package let bundle: ContentID

    package init(manifest: ContentID, bundle: ContentID) {
        self.manifest = manifest
        self.bundle = bundle
    }

    package var description: String { "\(manifest)/\(bundle)" }

    package static func < (left: BundleAddress, right: BundleAddress) -> Bool {
        (left.manifest, left.bundle) < (right.manifest, right.bundle)
    }
}
