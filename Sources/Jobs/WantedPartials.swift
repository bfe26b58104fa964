import BundleManifest
import ContentLibrary
import Diagnostics
import Downloads
import Platform
import Transfer

/// Which paused downloads some manifests may still go on with.
struct WantedPartials {
    private let store: ResumeStore
    private var names: Set<RelativePath> = []
    /// Manifests of which nobody knows what they call what has no digest: their URLs are relative to where they were read from.
    private(set) var unresolvable: [String] = []

    init(in store: ResumeStore) { self.store = store }

    /// Whether a paused download may be gone on with. One whose record can't be read never is.
    func contains(_ download: PausedDownload) -> Bool {
        guard download.url != nil else { return false }
        return names.contains(download.name) || (download.digest == nil && !unresolvable.isEmpty)
    }

    mutating func add(_ manifest: LoadedManifest) {
        // What a run makes of redirects is part of the name.
        for redirects in [RedirectPolicy.follow(limit: 10), .sameOrigin(limit: 10), .refuse] {
            names.formUnion(manifest.partialNames(in: store, redirects: redirects))
        }
    }

    /// - Parameter named: manifests that were added, and that say themselves where their URLs lead.
    mutating func add(_ published: Generation, named: Set<ContentID>) throws(LibraryError) {
        for id in published.manifests.keys.sorted() {
            guard let bytes = try published.manifestBytes(id) else { continue }
            let source = SourceText(name: "\(id)", bytes: bytes)
            let options = ManifestDecodingOptions(allowsFileURLs: true)
            guard let manifest = Manifest.decode(source, options: options).manifest else {
                unresolvable.append("\(id)")
                continue
            }
            let mirrors = manifest.mirrors.compactMap { try? TransferURL($0.text) }
            // A digest names its download whatever the URL.
            let bases = mirrors.isEmpty ? [Self.nowhere].compactMap(\.self) : mirrors
            add(LoadedManifest(manifest: manifest, id: id, bytes: bytes, bases: bases))
            let isResolvable = manifest.bundles.flatMap(\.sources).allSatisfy { source in
                source.file.digest != nil || source.file.urls.allSatisfy(\.isAbsolute)
            }
            if mirrors.isEmpty, !isResolvable, !named.contains(id) { unresolvable.append("\(id)") }
        }
    }

    private static let nowhere = try? TransferURL("http://nowhere.invalid/")
}
