import BundleManifest
import ContentLibrary
import Downloads
import Platform
import Transfer

/// What of unfinished work some manifests may still go on with.
struct WantedLeftovers {
    private let store: ResumeStore
    private var names: Set<RelativePath> = []
    /// Manifests of which nobody knows what they call what has no digest: their URLs are relative to where they were read from.
    private(set) var unresolvable: [String] = []

    /// Whether there are playlists: what they name isn't in any manifest.
    private var hasPlaylists = false
    private var bundles: Set<BundleAddress> = []
    /// Manifests whose bundles nobody can tell.
    private(set) var unreadable: Set<ContentID> = []

    init(in store: ResumeStore) { self.store = store }

    /// Whether what an earlier run had brought of a bundle may be gone on with.
    func contains(_ bundle: BundleAddress) -> Bool {
        bundles.contains(bundle) || unreadable.contains(bundle.manifest)
    }

    /// Whether a paused download may be gone on with. One whose record can't be read never is.
    func contains(_ download: PausedDownload) -> Bool {
        guard download.url != nil else { return false }
        if names.contains(download.name) || !unreadable.isEmpty { return true }
        return download.digest == nil && (hasPlaylists || !unresolvable.isEmpty)
    }

    /// Whether a manifest itself asks for a paused download. What only a playlist may name is none of those.
    func names(_ download: PausedDownload) -> Bool { names.contains(download.name) }

    /// - Parameter redirects: what a run makes of them, which is part of the names; any by default.
    mutating func add(
        _ manifest: LoadedManifest,
        redirects: [RedirectPolicy] = [.follow(limit: 10), .sameOrigin(limit: 10), .refuse]
    ) {
        for bundle in manifest.manifest.bundles {
            if case .hls = bundle.content { hasPlaylists = true }
            guard let id = ContentID(bundle.id.text) else { continue }
            bundles.insert(BundleAddress(manifest: manifest.id, bundle: id))
        }
        for redirects in redirects {
            names.formUnion(manifest.partialNames(in: store, redirects: redirects))
        }
    }

    /// - Parameter named: manifests that were added, and that say themselves where their URLs lead.
    mutating func add(_ published: Generation, named: Set<ContentID>) throws(LibraryError) {
        for id in published.manifests.keys.sorted() {
            guard let bytes = try published.manifestBytes(id), let manifest = Manifest.published(bytes, as: id) else {
                unreadable.insert(id)
                continue
            }
            // A digest names its download whatever the URL.
            let bases = SourceBases(manifest.mirrors, orElse: Self.nowhere)
            add(LoadedManifest(manifest: manifest, id: id, bytes: bytes, bases: bases))
            let isResolvable = manifest.bundles.flatMap(\.sources).allSatisfy { source in
                source.file.digest != nil || source.file.urls.allSatisfy(\.isAbsolute)
            }
            if manifest.mirrors.isEmpty, !isResolvable, !named.contains(id) { unresolvable.append("\(id)") }
        }
    }

    private static let nowhere = try? TransferURL("http://nowhere.invalid/")
}
