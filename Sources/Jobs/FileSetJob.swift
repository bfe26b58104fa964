import BundleManifest
import ContentLibrary
import Downloads
import Platform

/// Brings the files of a bundle into its staging directory: those that a run which was cut short had brought, unchanged ones from the library,
/// the others from their sources.
struct FileSetJob: Sendable {
    let sources: [BundleSource]
    let staging: Staging
    /// What runs that were cut short had brought.
    let salvage: Salvage?
    /// Content whose unchanged files needn't be fetched.
    let previous: StoredContent?
    let fetcher: SourceFetcher
    /// Where files are placed: apart from the queue on which archives are unpacked, so that none waits for those with its descriptor open.
    let placing: JobQueue
    let slots: RequestSlots

    /// A file that stands in staging.
    struct Placed: Sendable {
        let path: RelativePath
        let digest: SHA256Digest
        let source: Receipt.Source
    }

    /// Tasks at once: enough that this bundle alone can use every slot.
    private static let window = 64

    /// - Returns: the files in the order of the manifest.
    /// - Throws: after what was begun has ended; what came stays in staging, noted there.
    func run() async throws(BundleFailure) -> [Placed] {
        let (digests, urls) = wanted
        let shelves = await placing.run { [salvage, previous, fetcher] in
            salvage?.prune { source in
                digests.contains(source.sha256) || (source.validator != nil && urls.contains(source.url))
            }
            return [salvage.map { Shelf($0, fetcher.limits) }, previous.flatMap(Shelf.init)].compactMap(\.self)
        }
        var placed: [Placed?] = Array(repeating: nil, count: sources.count)
        var failure: BundleFailure?
        await withTaskGroup(of: (Int, Result<Placed, BundleFailure>).self) { group in
            var next = 0
            func startNext() {
                guard next < sources.count, failure == nil else { return }
                let index = next
                next += 1
                group.addTask { (index, await result(index, shelves)) }
            }
            for _ in 0..<Self.window { startNext() }
            while let (index, result) = await group.next() {
                switch result {
                case .success(let file): placed[index] = file
                case .failure(let error) where failure == nil:
                    failure = error
                    group.cancelAll()
                case .failure: break
                }
                startNext()
            }
        }
        if let failure { throw failure }
        return placed.compactMap(\.self)
    }

    /// By what a file may be known that is here already: its digest, or where there is none its URL.
    private var wanted: (digests: Set<SHA256Digest>, urls: Set<String>) {
        (
            Set(sources.compactMap(\.file.digest)),
            Set(sources.filter { $0.file.digest == nil }.map { fetcher.name(of: $0.file) })
        )
    }

    private func result(_ index: Int, _ shelves: [Shelf]) async -> Result<Placed, BundleFailure> {
        do throws(BundleFailure) {
            let placed = try await slots.withSlot { () throws(BundleFailure) in
                try await place(sources[index], from: shelves)
            }
            return .success(placed)
        } catch {
            return .failure(error)
        }
    }

    private func place(_ source: BundleSource, from shelves: [Shelf]) async throws(BundleFailure) -> Placed {
        let path = try path(source.path ?? "")
        if let digest = source.file.digest {
            for shelf in shelves {
                guard let held = shelf.byDigest[digest] else { continue }
                if let known = try await take(held, at: path, from: shelves) { return known }
            }
        } else if let held = shelves.lazy.compactMap({ $0.byURL[fetcher.name(of: source.file)] }).first,
            let validator = held.validator
        {
            if let file = try await fetcher.fetch(source.file, .unless(validator: validator)) {
                return try await place(file, of: source, at: path)
            }
            if let known = try await take(held, at: path, from: shelves) { return known }
        }
        guard let file = try await fetcher.fetch(source.file) else {
            throw BundleFailure(.downloadFailed, "the server says that nothing changed without having been asked")
        }
        return try await place(file, of: source, at: path)
    }

    private func place(
        _ file: FetchedFile, of source: BundleSource, at path: RelativePath
    ) async throws(BundleFailure) -> Placed {
        let known = fetcher.receiptSource(source.file, file)
        try await placing.attempt { [staging] () throws(BundleFailure) in
            if source.file.digest == nil { try file.refuseHTMLPage(insteadOf: .file(named: "\(path)")) }
            do throws(SystemError) {
                try file.move(to: path, in: staging.directory)
                // What nothing would tell from another version is of no use to anybody later.
                if source.file.digest != nil || known.validator != nil { try staging.note(known, at: path) }
            } catch {
                file.keep()
                throw BundleFailure(error)
            }
        }
        return Placed(path: path, digest: file.digest, source: known)
    }

    /// - Parameter held: what is wanted, as it came from its own URL: others may have brought the same bytes.
    private func take(
        _ held: Receipt.Source, at path: RelativePath, from shelves: [Shelf]
    ) async throws(BundleFailure) -> Placed? {
        for shelf in shelves where shelf.byDigest[held.sha256] != nil {
            do throws(LibraryError) {
                let isPlaced = try await placing.attempt { [staging] () throws(LibraryError) in
                    try shelf.place(held, path, staging)
                }
                if isPlaced { return Placed(path: path, digest: held.sha256, source: held) }
            } catch {
                throw BundleFailure(error)
            }
        }
        return nil
    }
}

/// Files that are here already, and where each had come from.
private struct Shelf: Sendable {
    let byDigest: [SHA256Digest: Receipt.Source]
    let byURL: [String: Receipt.Source]
    /// Puts the file that a source had brought into staging; false where it can't be had after all.
    let place: @Sendable (Receipt.Source, RelativePath, Staging) throws(LibraryError) -> Bool

    private init(
        _ sources: [Receipt.Source],
        place: @escaping @Sendable (Receipt.Source, RelativePath, Staging) throws(LibraryError) -> Bool
    ) {
        // The last is the latest.
        byDigest = Dictionary(sources.map { ($0.sha256, $0) }, uniquingKeysWith: { $1 })
        byURL = Dictionary(sources.map { ($0.url, $0) }, uniquingKeysWith: { $1 })
        self.place = place
    }

    /// What the library has.
    init?(_ content: StoredContent) {
        // Content that can't be read is for `verify` to report; here its files are only fetched again.
        guard let sharing = try? ContentSharing(content), let receipt = try? content.receipt() else { return nil }
        self.init(receipt.sources) { source, path, staging throws(LibraryError) in
            try sharing.place(source.sha256, sizeBytes: source.sizeBytes, at: path, in: staging)
        }
    }

    /// What runs that were cut short had brought.
    init(_ salvage: Salvage, _ limits: RunLimits) {
        self.init(salvage.sources) { source, path, staging throws(LibraryError) in
            guard try salvage.take(source.sha256, sizeBytes: source.sizeBytes, to: path, in: staging) else {
                return false
            }
            limits.note(salvaged: source.sizeBytes)
            do throws(SystemError) { try staging.note(source, at: path) } catch { throw LibraryError(error) }
            return true
        }
    }
}
