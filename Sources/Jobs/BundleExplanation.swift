import BundleManifest
import ContentLibrary
import Downloads
import Platform
import Transfer

/// Why a bundle is as it is: what its manifest asks for, what is here, what was tried, and what is next. A look that changes nothing.
package struct BundleExplanation: Sendable {
    package let address: BundleAddress
    package let library: LibraryStatus
    /// What is known of it; nil for what no run has worked on.
    package let status: BundleStatus?
    /// What is published of its manifest.
    package let manifest: ManifestStatus?
    /// What the published manifest asks for; nil where it doesn't list the bundle, or can't be read.
    package let wanted: Wanted?
    /// What is wrong with `current`; nil for nothing.
    package let currentProblem: String?

    package struct Wanted: Sendable {
        package let kind: String
        package let version: String?
        /// How many files it is fetched as, and how large they are together, as far as the manifest tells.
        package let files: Int
        package let bytes: Int64
        /// The digest of its one file; nil where there are several, and where the manifest doesn't tell.
        package let digest: SHA256Digest?
        package let isRequired: Bool
        /// What a run would do, by what is here.
        package let state: BundlePlan.State
        /// What that would take: bytes to fetch, and those of them that are here already.
        package let plannedBytes: Int64
        package let heldBytes: Int64
        /// Why it would fail.
        package let objection: String?
        package let sources: [Source]
    }

    /// Where its first file may be had, in the order in which they are tried.
    package struct Source: Sendable {
        /// As it may be shown.
        package let url: String
        /// How often it sent what could not be used, and before when `refresh` doesn't ask it again.
        package let failureCount: Int
        package let nextTry: Timestamp?
    }

    /// - Throws: where the library can't be read.
    package init(of address: BundleAddress, in library: Library, at now: Timestamp = .now) throws(LibraryError) {
        self.address = address
        self.library = try LibraryStatus(of: library, only: BundleSelection([.address(address)]), at: now)
        manifest = self.library.manifests.first
        status = manifest?.bundles.first { $0.id == address.bundle }
        currentProblem = try library.currentProblem()
        guard currentProblem == nil, let generation = try library.generations.current(),
            let bytes = try generation.manifestBytes(address.manifest),
            let loaded = LoadedManifest(published: bytes, as: address.manifest),
            let bundle = loaded.manifest.bundles.first(where: { $0.id.text == address.bundle.description })
        else {
            wanted = nil
            return
        }
        let planner = Planner(
            manifest: loaded, base: generation, library: library, published: try library.generations.addresses(),
            salvage: (try? library.salvage()) ?? { _ in nil }, redirects: .follow(limit: 10),
            damaged: (try? library.readStateIndex()?.damagedContents()) ?? [], decrypts: .asPublished)
        wanted = planner.plan(bundle).map { plan in
            Wanted(bundle, plan, sources: Self.sources(of: bundle, in: loaded, library.readStateIndex(), at: now))
        }
    }

    private static func sources(
        of bundle: Bundle, in manifest: LoadedManifest, _ index: StateIndex?, at now: Timestamp
    ) -> [Source] {
        guard let file = bundle.sources.first?.file else { return [] }
        // A relative reference leads nowhere from here where the manifest has no mirrors: where it was read from isn't written down.
        guard let urls = try? manifest.sources(file) else {
            return file.urls.map { Source(url: shownURL($0.text), failureCount: 0, nextTry: nil) }
        }
        let outlook = RetryOutlook(index)
        return urls.map { url in
            let record = outlook.record(of: url, for: file, in: bundle)
            let isHeldBack = record?.holdsBack(at: now) ?? false
            return Source(
                url: "\(url)", failureCount: record?.failureCount ?? 0, nextTry: isHeldBack ? record?.nextTry : nil)
        }
    }
}

extension BundleExplanation.Wanted {
    fileprivate init(_ bundle: Bundle, _ plan: BundlePlan, sources: [BundleExplanation.Source]) {
        kind = bundle.kind.rawValue
        version = bundle.version
        files = bundle.sources.count
        bytes = bundle.sources.reduce(0) { $0.addingClamped(Int64($1.file.sizeBytes ?? 0)) }
        digest = bundle.sources.count == 1 ? bundle.sources[0].file.digest : nil
        isRequired = bundle.isRequired
        state = plan.state
        plannedBytes = plan.plannedBytes
        heldBytes = plan.heldBytes
        if case .impossible(let failure) = plan.work { objection = failure.description } else { objection = nil }
        self.sources = sources
    }
}

extension LoadedManifest {
    /// The exact bytes that were published; nil where they can't be read. Relative URLs lead somewhere only by mirrors.
    init?(published bytes: [UInt8], as id: ContentID) {
        guard let manifest = Manifest.published(bytes, as: id) else { return nil }
        self.init(manifest: manifest, id: id, bytes: bytes, bases: SourceBases(manifest.mirrors, orElse: nil))
    }
}
