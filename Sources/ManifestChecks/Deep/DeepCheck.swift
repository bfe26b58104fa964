import BundleManifest
import Diagnostics
import Jobs
import Platform

/// Opens what a manifest names and is here: local files, and what a library holds. Nothing is fetched, and nothing is changed.
package struct DeepCheck: Sendable {
    private let library: LibraryLook?
    private let control: RunControl
    /// Where reading, hashing and inflating block.
    private let blocking = JobQueue(name: "larder-deep")

    /// - Parameter library: nil: only local files are looked for.
    package init(library: LibraryLook?, control: RunControl) {
        (self.library, self.control) = (library, control)
    }

    func findings(
        in placed: PlacedManifest, _ bases: SourceBases, readFrom location: ManifestLocation
    ) async -> Findings {
        await blocking.run { [library, control] in
            // Beside a local manifest may lie what its mirrors are going to have.
            let folder = location.allowsFileURLs ? location.base : nil
            var pass = DeepPass(
                manifest: placed.id, bases: bases, folder: folder, library: library,
                isStopped: {
                    control.noteActivity()
                    return control.reason != nil
                })
            for bundle in placed.bundles {
                // The rest isn't even read.
                if control.reason != nil { break }
                pass.check(bundle)
            }
            return pass.finish()
        }
    }
}
