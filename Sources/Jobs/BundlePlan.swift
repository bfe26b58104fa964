import BundleManifest
import ContentLibrary
import Downloads
import Platform
import Transfer

/// What is to be done for one bundle.
package struct BundlePlan: Sendable {
    let bundle: Bundle
    let address: BundleAddress
    let work: Work
    /// Bytes of what isn't in the library yet, as far as the manifest tells.
    let plannedBytes: Int64
    /// How many of them are held from a run that was stopped.
    let heldBytes: Int64
    /// How much of what a package unpacks to is here from a run that was stopped.
    let unpackedBytes: Int64
    /// Whether the library will grow.
    let needsRoom: Bool
    /// The files that have to be fetched for sure, those of which something is held, too.
    let missingFiles: [SourceFile]

    /// - Parameter held: how many bytes of a file are held from earlier.
    init(
        bundle: Bundle, address: BundleAddress, work: Work, unpackedBytes: Int64, held: (SourceFile) -> Int64
    ) {
        (self.bundle, self.address, self.work, self.unpackedBytes) = (bundle, address, work, unpackedBytes)
        let missing = Self.missing(bundle, work)
        missingFiles = missing
        var (planned, heldBytes): (Int64, Int64) = (0, 0)
        for size in missing.map({ (bytes: Int64($0.sizeBytes ?? 0), held: held($0)) }) {
            planned.addClamped(size.bytes)
            heldBytes.addClamped(min(size.bytes, max(0, size.held)))
        }
        (plannedBytes, self.heldBytes) = (planned, heldBytes)
        needsRoom = planned > heldBytes || missing.contains { $0.sizeBytes == nil }
    }

    /// What the library has of it already, and would keep.
    var kept: StoredContent? {
        switch work {
        case .upToDate(let content), .revalidate(let content, _): content
        case .mend, .obtain, .impossible: nil
        }
    }

    /// The same for content that is damaged after all.
    func mending(_ content: StoredContent) -> BundlePlan {
        BundlePlan(bundle: bundle, address: address, work: .mend(content), unpackedBytes: unpackedBytes) { _ in 0 }
    }

    /// Bytes that will have to be fetched, as far as the manifest tells.
    var bytesToFetch: Int64 { plannedBytes - heldBytes }

    /// How far the bundle is, for the history.
    var pause: BundleOutcome.Fate { .paused(plannedBytes: plannedBytes, heldBytes: heldBytes) }

    enum Work: Sendable {
        /// The library has exactly this content.
        case upToDate(StoredContent)
        /// The library has content that may be this: no digest says so, the servers must be asked.
        case revalidate(StoredContent, Receipt)
        /// The library has this content, and some of it is damaged.
        case mend(StoredContent)
        /// It must be fetched. What the bundle had before may have files in common with it.
        case obtain(previous: StoredContent?)
        /// It can't be worked on.
        case impossible(BundleFailure)
    }

    /// Whether this brings back what was published, rather than something new.
    var isMending: Bool {
        switch work {
        case .mend, .obtain(previous: nil), .impossible: true
        // A receipt that can't be read proves nothing of what is here.
        case .obtain(let content?): (try? content.receipt()) == nil
        case .upToDate, .revalidate: false
        }
    }

    /// The work in one word.
    package enum State: String, Sendable {
        case unchanged, revalidate, mend, fetch, impossible
    }

    var state: State {
        switch work {
        case .upToDate: .unchanged
        case .revalidate: .revalidate
        case .mend: .mend
        case .obtain: .fetch
        case .impossible: .impossible
        }
    }

    /// A server that is only asked may send nothing.
    private static func missing(_ bundle: Bundle, _ work: Work) -> [SourceFile] {
        guard case .obtain(let previous) = work else { return [] }
        // Only a set of files shares what it had before.
        let held = bundle.package == nil ? Set((try? previous?.receipt())?.sources.map(\.sha256) ?? []) : []
        return bundle.sources.map(\.file).filter { file in file.digest.map { !held.contains($0) } ?? true }
    }
}

/// Compares what a manifest asks for with what the library holds.
struct Planner {
    let manifest: LoadedManifest
    let base: Generation?
    /// Nil while there is no library.
    let library: Library?
    /// What the generations name.
    let published: Set<StoreAddress>
    /// What runs that were cut short had brought.
    let salvage: (BundleAddress) -> Salvage?
    let redirects: RedirectPolicy
    /// Content that isn't what its receipt says.
    let damaged: Set<StoreAddress>
    /// Whether presentations are decrypted, whatever their manifests say.
    let decrypts: Decrypting

    enum Decrypting {
        case never, always
        /// What was published so stays so: whoever had it decrypted isn't there to ask.
        case asPublished

        init(_ options: RunOptions) {
            self = options.decrypts ? .always : options.mending == nil ? .never : .asPublished
        }
    }

    private var store: Store? { library?.store }

    /// - Returns: nil for an id that no loaded manifest has, since loading refuses it.
    func plan(_ bundle: Bundle) -> BundlePlan? {
        guard let id = ContentID(bundle.id.text) else { return nil }
        let address = BundleAddress(manifest: manifest.id, bundle: id)
        let bundle = isDecrypted(bundle, address) ? bundle.decrypted : bundle
        let salvage = salvage(address)
        return BundlePlan(
            bundle: bundle, address: address, work: mending(work(bundle, address)),
            unpackedBytes: salvage?.unpackedBytes ?? 0
        ) { file in
            max(held(file, bundle), file.digest.flatMap { salvage?.heldBytes(of: $0) } ?? 0)
        }
    }

    private func isDecrypted(_ bundle: Bundle, _ address: BundleAddress) -> Bool {
        switch decrypts {
        case .never: return false
        case .always: return true
        case .asPublished:
            guard case .hls = bundle.content, let content = try? currentContent(address),
                let digests = try? content.receipt().sources.map(\.sha256)
            else { return false }
            return bundle.decrypted.presentationKey(digests: digests).digest == content.header.origin.key
        }
    }

    /// What a stopped run left of a file, wherever the next one would go on with it.
    private func held(_ file: SourceFile, _ bundle: Bundle) -> Int64 {
        guard let library, let request = manifest.requests(for: file, in: bundle, redirects: redirects).first else {
            return 0
        }
        return ResumeStore(directory: library.partial).heldBytes(of: request)
    }

    /// What is wanted, and is damaged, is mended first: whether its servers have something new is for a later run.
    private func mending(_ work: BundlePlan.Work) -> BundlePlan.Work {
        switch work {
        case .upToDate(let content) where damaged.contains(content.address),
            .revalidate(let content, _) where damaged.contains(content.address):
            .mend(content)
        default: work
        }
    }

    private func work(_ bundle: Bundle, _ address: BundleAddress) -> BundlePlan.Work {
        do throws(LibraryError) {
            let current = try currentContent(address)
            if case .hls(let presentation) = bundle.content {
                return work(presentation, of: bundle, try unpublished(address) ?? current)
            }
            if let key = bundle.storeKey(digests: bundle.knownDigests) {
                if let current, current.header.origin.key == key.digest { return try upToDate(current, bundle) }
                let origin = Receipt.Origin(bundle: address, version: bundle.version, key: key)
                if let stored = try store?.find(origin) { return try upToDate(stored, bundle) }
                return .obtain(previous: current)
            }
            guard let current = try unpublished(address) ?? current else { return .obtain(previous: nil) }
            // A receipt that can't be read proves nothing: what it stood for is fetched again.
            guard let receipt = try? current.receipt() else { return .obtain(previous: current) }
            return mayStillBe(receipt, bundle) ? .revalidate(current, receipt) : .obtain(previous: current)
        } catch {
            return .impossible(BundleFailure(error))
        }
    }

    /// A recording is made once: what was live then isn't there any more. Only another version, or other limits, ask for another.
    private func work(_ presentation: Presentation, of bundle: Bundle, _ current: StoredContent?) -> BundlePlan.Work {
        guard let current, let receipt = try? current.receipt() else { return .obtain(previous: current) }
        let key = bundle.presentationKey(digests: receipt.sources.map(\.sha256))
        guard key.digest == receipt.header.origin.key else { return .obtain(previous: current) }
        guard presentation.recording != nil else { return .revalidate(current, receipt) }
        let isOfVersion = bundle.version.map { $0 == receipt.header.origin.version } ?? true
        return isOfVersion ? .upToDate(current) : .obtain(previous: current)
    }

    /// All segments are what the manifest asks for; so must be what they make together, if it says what that is.
    private func upToDate(_ content: StoredContent, _ bundle: Bundle) throws(LibraryError) -> BundlePlan.Work {
        guard case .segments(let list) = bundle.content, let wanted = list.join?.digest,
            case .file(let file) = try content.receipt().entries.first?.content, file.sha256 != wanted
        else { return .upToDate(content) }
        return .impossible(.wrongWhole(file.sha256, wanted))
    }

    /// What was put into the store last, where a run was cut short before anybody saw it.
    private func unpublished(_ address: BundleAddress) throws(LibraryError) -> StoredContent? {
        guard let newest = try store?.newest(of: address), !published.contains(newest.address) else { return nil }
        return newest
    }

    private func currentContent(_ address: BundleAddress) throws(LibraryError) -> StoredContent? {
        guard let name = base?.manifests[address.manifest]?[address.bundle] else { return nil }
        return try store?.open(StoreAddress(bundle: address, name: name))
    }

    /// Whether content would be what the manifest asks for if its undigested sources haven't changed since.
    private func mayStillBe(_ receipt: Receipt, _ bundle: Bundle) -> Bool {
        guard receipt.sources.count == bundle.sources.count else { return false }
        let digests = zip(bundle.knownDigests, receipt.sources).map { known, fetched in known ?? fetched.sha256 }
        return bundle.storeKey(digests: digests)?.digest == receipt.header.origin.key
    }
}
