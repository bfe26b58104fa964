import BundleManifest
import ContentLibrary
import Downloads
import Platform

/// Brings the files of a `files` bundle into its staging directory: unchanged ones from the library, the others from their sources.
struct FileSetJob: Sendable {
    let sources: [BundleSource]
    let staging: Staging
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
        /// What was fetched, for as long as a run that is cut short could lose it.
        var fetched: FetchedFile?
    }

    /// Files held on to until the bundle is in the store, each with a descriptor.
    private static let heldFiles = 512
    /// Smaller ones cost little to fetch again.
    private static let heldBytes: Int64 = 256 << 10

    /// Tasks at once: enough that this bundle alone can use every slot.
    private static let window = 64

    /// - Returns: the files in the order of the manifest.
    func run() async throws(BundleFailure) -> [Placed] {
        let shelf = await placing.run { [previous] in previous.flatMap(Shelf.init) }
        var placed: [Placed?] = Array(repeating: nil, count: sources.count)
        var failure: BundleFailure?
        var heldCount = 0
        await withTaskGroup(of: (Int, Result<Placed, BundleFailure>).self) { group in
            var next = 0
            func startNext() {
                guard next < sources.count, failure == nil else { return }
                let index = next
                next += 1
                group.addTask { (index, await result(index, shelf)) }
            }
            for _ in 0..<Self.window { startNext() }
            while let (index, result) = await group.next() {
                switch result {
                case .success(var file):
                    if file.fetched.map({ $0.sizeBytes <= Self.heldBytes }) ?? true || heldCount == Self.heldFiles {
                        file.fetched = nil
                    } else {
                        heldCount += 1
                    }
                    placed[index] = file
                case .failure(let error) where failure == nil:
                    failure = error
                    group.cancelAll()
                case .failure: break
                }
                startNext()
            }
        }
        if let failure {
            for file in placed { file?.fetched?.keep() }
            throw failure
        }
        return placed.compactMap(\.self)
    }

    private func result(_ index: Int, _ shelf: Shelf?) async -> Result<Placed, BundleFailure> {
        do throws(BundleFailure) {
            let placed = try await slots.withSlot { () throws(BundleFailure) in
                try await place(sources[index], from: shelf)
            }
            return .success(placed)
        } catch {
            return .failure(error)
        }
    }

    private func place(_ source: BundleSource, from shelf: Shelf?) async throws(BundleFailure) -> Placed {
        let path = try path(source.path ?? "")
        if let digest = source.file.digest {
            if let known = try await take(digest, at: path, from: shelf) {
                return Placed(path: path, digest: digest, source: known)
            }
        } else if let fetched = shelf?.byURL[fetcher.name(of: source.file)], let validator = fetched.validator {
            if let file = try await fetcher.fetch(source.file, .unless(validator: validator)) {
                return try await place(file, of: source, at: path)
            }
            if let known = try await take(fetched.sha256, at: path, from: shelf) {
                return Placed(path: path, digest: fetched.sha256, source: known)
            }
        }
        guard let file = try await fetcher.fetch(source.file) else {
            throw BundleFailure(.downloadFailed, "the server says that nothing changed without having been asked")
        }
        return try await place(file, of: source, at: path)
    }

    private func place(
        _ file: FetchedFile, of source: BundleSource, at path: RelativePath
    ) async throws(BundleFailure) -> Placed {
        try await placing.attempt { [staging] () throws(BundleFailure) in
            if source.file.digest == nil { try file.refuseHTMLPage(insteadOf: .file(named: "\(path)")) }
            do throws(SystemError) { try file.place(at: path, in: staging.directory) } catch {
                file.keep()
                throw BundleFailure(error)
            }
        }
        return Placed(path: path, digest: file.digest, source: fetcher.receiptSource(source.file, file), fetched: file)
    }

    private func take(
        _ digest: SHA256Digest, at path: RelativePath, from shelf: Shelf?
    ) async throws(BundleFailure) -> Receipt.Source? {
        guard let shelf, let source = shelf.byDigest[digest] else { return nil }
        do throws(LibraryError) {
            let isPlaced = try await placing.attempt { [staging] () throws(LibraryError) in
                try shelf.sharing.place(digest, sizeBytes: source.sizeBytes, at: path, in: staging)
            }
            return isPlaced ? source : nil
        } catch {
            throw BundleFailure(error)
        }
    }
}

/// The files of content that is here, and where each had come from.
private struct Shelf: Sendable {
    let sharing: ContentSharing
    let byDigest: [SHA256Digest: Receipt.Source]
    let byURL: [String: Receipt.Source]

    init?(_ content: StoredContent) {
        // Content that can't be read is for `verify` to report; here its files are only fetched again.
        guard let sharing = try? ContentSharing(content), let receipt = try? content.receipt() else { return nil }
        self.sharing = sharing
        byDigest = Dictionary(receipt.sources.map { ($0.sha256, $0) }, uniquingKeysWith: { first, _ in first })
        byURL = Dictionary(receipt.sources.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
