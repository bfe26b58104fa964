import BundleManifest
import ContentLibrary
import Platform
import Transfer

/// What of a library is to be carried to another one.
struct ExportPlan: Sendable {
    struct Item: Sendable {
        let manifest: LoadedManifest
        let bundle: Bundle
        let address: BundleAddress
    }

    /// The generation: held so that nothing of it is collected meanwhile.
    let reader: Directory
    /// What is published of each manifest.
    let manifests: [CarriedManifest]
    /// What the other library lacks.
    let bundles: [Item]
    /// How many bundles it has.
    let known: Int
    /// How many manifests can't be read.
    let leftOut: Int
    let stored: StoredFiles
    private let other: OtherLibrary

    /// - Parameters:
    ///   - base: what relative URLs are relative to, where nothing tells.
    ///   - warn: told of each manifest that can't be read.
    init(
        of library: Library, for other: OtherLibrary, base: TransferURL?, warn: (String) -> Void
    ) throws(LibraryError) {
        guard let held = try library.generations.holdCurrent() else {
            throw LibraryError(.notThere, "\(escapedText(library.path)) has nothing published yet; sync it first")
        }
        let current = try library.generations.open(held.number)
        var leftOut = 0
        let loaded = try LoadedManifest.published(in: current, of: library, base: base) { warning in
            leftOut += 1
            warn(warning)
        }
        var bundles: [Item] = []
        var known = 0
        for manifest in loaded {
            for bundle in manifest.manifest.bundles {
                guard let id = ContentID(bundle.id.text), let name = current.manifests[manifest.id]?[id] else {
                    continue
                }
                let address = BundleAddress(manifest: manifest.id, bundle: id)
                let content = try library.store.open(StoreAddress(bundle: address, name: name))
                if let content, other.has(content) {
                    known += 1
                } else {
                    bundles.append(Item(manifest: manifest, bundle: bundle, address: address))
                }
            }
        }
        reader = held.directory
        manifests = loaded.map { CarriedManifest(id: $0.id, bytes: $0.bytes, signature: $0.signature) }
        stored = try StoredFiles(for: Set(bundles.flatMap { $0.bundle.knownDigests.compactMap(\.self) }), in: library)
        (self.bundles, self.known, self.leftOut, self.other) = (bundles, known, leftOut, other)
    }

    /// How long a file is: by its manifest, or else as it was when it was fetched; nil where nobody knows.
    func sizeBytes(of file: SourceFile) -> Int64? {
        file.sizeBytes.map(Int64.init) ?? file.digest.flatMap(stored.sizeBytes)
    }

    /// How many bytes are to be written, as far as lengths are known.
    /// - Parameters:
    ///   - held: bytes that were fetched of files before.
    ///   - isThere: whether a file of this digest and this length is there.
    func neededBytes(held: [SHA256Digest: Int64], unless isThere: (SHA256Digest, Int64) -> Bool) -> Int64 {
        var seen: Set<SHA256Digest> = []
        var needed: Int64 = 0
        for item in bundles {
            for file in item.bundle.sources.map(\.file) {
                guard let digest = file.digest, !other.has(digest, in: item.address), seen.insert(digest).inserted,
                    let size = sizeBytes(of: file), !isThere(digest, size)
                else { continue }
                needed.addClamped(max(0, size - max(0, held[digest] ?? 0)))
            }
        }
        return needed
    }
}
