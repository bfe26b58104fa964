import BundleManifest
import ContentLibrary
import Platform

/// What a library and its index tell of manifests before these are read. Looked up when it is asked for: most runs need little of it.
final class ManifestMemory {
    private let library: Library?
    private let history: RunHistory?
    private let options: RunOptions
    /// What readers see; nil when nothing was published, or nobody knows: a damaged `current` is the board's to report.
    private(set) lazy var published: Generation? = try? library?.generations.current()
    /// What the published manifests say themselves: the index may be lost, or not answer.
    private lazy var publishedSerials: [ContentID: Int] = (try? published?.serials()) ?? [:]

    /// - Parameters:
    ///   - library: nil while there is none.
    ///   - history: nil where the index isn't to be opened.
    init(_ options: RunOptions, _ library: Library?, _ history: RunHistory?) {
        (self.options, self.library, self.history) = (options, library, history)
    }

    /// What keeps the library as it is.
    private lazy var pin = Result { () throws(LibraryError) in try library?.pin() }

    /// What keeps a manifest of this serial from being published, if anything does.
    func pin(on manifest: ContentID, serial: Int) throws(LibraryError) -> LibraryPin? {
        guard let pin = try pin.get(), pin.holds(manifest, serial: serial) else { return nil }
        return pin
    }

    /// The highest serial that is known to have been published for a manifest; nil when none was.
    func highestSerial(of manifest: ContentID) -> Int? {
        [history?.highestSerial(of: manifest), publishedSerials[manifest]].compactMap(\.self).max()
    }

    /// What was read from a place last, whatever became of it.
    func record(of location: ManifestLocation) -> ManifestRecord? { history?.manifest(from: location.recordKey) }

    /// What needn't be fetched again from a place, if anything: what was read there last and is published.
    func manifest(from location: ManifestLocation) -> KnownManifest? {
        guard options.remembersManifests, let record = history?.manifest(from: location.recordKey),
            let generations = library?.generations,
            let number = try? generations.currentNumber(),
            let bytes = generations.manifestBytes(of: record.manifest, in: number),
            SHA256.digest(of: bytes) == record.digest
        else { return nil }
        return KnownManifest(
            record: record, bytes: bytes, signature: generations.signature(of: record.manifest, in: number))
    }

    /// Whether there is nothing to do for a manifest that is still the one that is known.
    /// - Returns: how many bundles it has; nil where each has to be looked at.
    func settledBundles(of known: KnownManifest) -> Int? {
        guard options.asksForAll, known.record.settledBy == Bundle.planVersion, let settled = known.record.settled,
            let generations = library?.generations, (try? generations.currentNumber()) == settled
        else { return nil }
        // What is damaged is to be mended.
        if history?.damagedContents.contains(where: { $0.bundle.manifest == known.record.manifest }) == true {
            return nil
        }
        let count = generations.bundleCount(of: known.record.manifest, in: settled)
        return count == known.record.bundleCount ? count : nil
    }
}
