import BundleManifest
import ContentLibrary
import Platform
import Transfer

/// The manifests that readers see, to fetch again what is damaged of them.
extension LoadedManifest {
    /// - Parameters:
    ///   - base: what relative URLs are relative to where a manifest has no mirrors, and what was fetched for it doesn't tell.
    ///   - warn: told of each that can't be read.
    static func published(
        in generation: Generation, of library: Library, base: TransferURL?, warn: (String) -> Void
    ) throws(LibraryError) -> [LoadedManifest] {
        let pin = try library.pin()
        var loaded: [LoadedManifest] = []
        for id in generation.manifests.keys.sorted() {
            guard let bytes = try generation.manifestBytes(id),
                let manifest = Manifest.published(bytes, as: id)
            else {
                warn("what is published of the manifest '\(id)' can't be read; sync it again")
                continue
            }
            let place = base ?? PublishedBase(of: manifest, id, generation, library).url
            loaded.append(
                LoadedManifest(
                    manifest: manifest, id: id, bytes: bytes, bases: SourceBases(manifest.mirrors, orElse: place),
                    signature: generation.signature(of: id), isHeld: pin?.holds(id, serial: manifest.serial) ?? false,
                    takesFilesUnproven: false))
        }
        return loaded
    }
}

/// Where a published manifest was read from, as far as the receipts of its bundles tell: they name their sources in full.
private struct PublishedBase {
    private(set) var url: TransferURL?

    init(of manifest: Manifest, _ id: ContentID, _ generation: Generation, _ library: Library) {
        guard manifest.mirrors.isEmpty else { return }
        for bundle in manifest.bundles {
            guard let reference = bundle.sources.first?.file.urls.first, !reference.isAbsolute,
                let bundleID = ContentID(bundle.id.text), let name = generation.manifests[id]?[bundleID],
                let content = try? library.store.open(
                    StoreAddress(bundle: BundleAddress(manifest: id, bundle: bundleID), name: name)),
                let fetched = try? content.receipt().sources.first?.url
            else { continue }
            url = Self.base(from: reference.text, to: fetched)
            if url != nil { return }
        }
    }

    /// The longest base from which a reference leads to a URL.
    private static func base(from reference: String, to url: String) -> TransferURL? {
        var folder = url[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            guard let base = try? TransferURL("\(folder)/") else { return nil }
            if let led = try? base.resolving(reference), Receipt.Source.name(ofURL: led.text) == url { return base }
        }
        return nil
    }
}
