import BundleManifest
import ContentLibrary
import Platform

/// What is to be done for one bundle.
package struct BundlePlan: Sendable {
    let bundle: Bundle
    let address: BundleAddress
    let work: Work
    /// Bytes that will be fetched, as far as the manifest tells.
    let plannedBytes: Int64

    init(bundle: Bundle, address: BundleAddress, work: Work) {
        (self.bundle, self.address, self.work) = (bundle, address, work)
        plannedBytes = Self.plannedBytes(bundle, work)
    }

    enum Work: Sendable {
        /// The library has exactly this content.
        case upToDate(StoredContent)
        /// The library has content that may be this: no digest says so, the servers must be asked.
        case revalidate(StoredContent, Receipt)
        /// It must be fetched. What the bundle had before may have files in common with it.
        case obtain(previous: StoredContent?)
        /// It can't be worked on.
        case impossible(BundleFailure)
    }

    /// The work in one word.
    package enum State: String, Sendable {
        case unchanged, revalidate, fetch, impossible
    }

    var state: State {
        switch work {
        case .upToDate: .unchanged
        case .revalidate: .revalidate
        case .obtain: .fetch
        case .impossible: .impossible
        }
    }

    private static func plannedBytes(_ bundle: Bundle, _ work: Work) -> Int64 {
        guard case .obtain(let previous) = work else { return 0 }
        // Only a set of files shares what it had before.
        let held = bundle.package == nil ? Set((try? previous?.receipt())?.sources.map(\.sha256) ?? []) : []
        let missing = bundle.sources.filter { source in
            source.file.digest.flatMap { SHA256Digest(hex: $0.description) }.map { !held.contains($0) } ?? true
        }
        return missing.reduce(0) { $0.addingClamped(Int64($1.file.sizeBytes ?? 0)) }
    }
}

/// Compares what a manifest asks for with what the library holds.
struct Planner {
    let manifest: LoadedManifest
    let base: Generation?
    /// Nil while there is no library.
    let store: Store?

    func plan(_ bundle: Bundle) -> BundlePlan? {
        guard let id = ContentID(bundle.id.text) else { return nil }
        let address = BundleAddress(manifest: manifest.id, bundle: id)
        return BundlePlan(bundle: bundle, address: address, work: work(bundle, address))
    }

    private func work(_ bundle: Bundle, _ address: BundleAddress) -> BundlePlan.Work {
        guard bundle.isSupported else {
            return .impossible(
                BundleFailure(
                    .unsupportedKind, "bundles of the kind '\(bundle.kind.rawValue)' can't be fetched by this version"))
        }
        do throws(LibraryError) {
            let current = try currentContent(address)
            if let key = bundle.storeKey(digests: bundle.knownDigests) {
                if let current, current.header.origin.key == key.digest { return .upToDate(current) }
                let origin = Receipt.Origin(bundle: address, version: bundle.version, key: key)
                if let stored = try store?.find(origin) { return .upToDate(stored) }
                return .obtain(previous: current)
            }
            guard let current else { return .obtain(previous: nil) }
            let receipt = try current.receipt()
            return mayStillBe(receipt, bundle) ? .revalidate(current, receipt) : .obtain(previous: current)
        } catch {
            return .impossible(BundleFailure(error))
        }
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
