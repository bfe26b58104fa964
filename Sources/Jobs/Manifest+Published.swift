import BundleManifest
import ContentLibrary
import Diagnostics

extension Manifest {
    /// What the exact bytes that were published say; nil where they can't be read. `file:` URLs may be among them: what isn't read from a local path
    /// is never published with any.
    static func published(_ bytes: [UInt8], as id: ContentID) -> Manifest? {
        decode(
            SourceText(name: "\(id)", bytes: bytes), options: ManifestDecodingOptions(allowsFileURLs: true)
        ).manifest
    }
}
