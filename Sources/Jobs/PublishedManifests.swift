import ContentLibrary
import Downloads
import Platform

/// The manifests that a library has published, as the older versions of those that are checked.
package struct PublishedManifests: Sendable {
    private let generation: Generation?
    private let path: String

    /// - Throws: when there is no library, or it can't be read.
    package init(library path: String) throws(LibraryError) {
        self.path = path
        generation = try Library.open(path, for: .reading).generations.current()
    }

    /// - Returns: nil when nothing was published under the manifest's id, or the manifest isn't valid.
    package func older(than manifest: ValidatedManifest) throws(LibraryError) -> ValidatedManifest? {
        guard let id = manifest.decoded.id.flatMap({ ContentID($0.text) }),
            let bytes = try generation?.manifestBytes(id)
        else { return nil }
        return ValidatedManifest(.file(path: "\(path)/current/\(id)/.manifest.json"), bytes)
    }
}
