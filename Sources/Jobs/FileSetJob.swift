import BundleManifest
import ContentLibrary
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
    /// The same, where its receipt has been read already.
    var sharing: ContentSharing?
    /// Whether these are taken unasked: content that is mended stays what it was.
    var trustsPrevious = false
    /// What else is here already.
    var others: [Shelf] = []
    let fetcher: SourceFetcher
    /// Where files are placed: apart from the queue on which archives are unpacked, so that none waits for those with its descriptor open.
    let placing: JobQueue
    let slots: RequestSlots
    /// What decrypts those that are stored in the clear.
    var keys: KeyRing?
    /// Whether what runs that were cut short had brought is taken unasked: they had recorded the same.
    var trustsSalvage = false
    /// Whether a later run may take what is brought unasked: what is live is there only once.
    var keepsUnproven = false
    var progress: SegmentProgress?

    /// A file that stands in staging.
    struct Placed: Sendable {
        let path: RelativePath
        let digest: SHA256Digest
        let source: Receipt.Source
    }

    /// Tasks at once: enough that this bundle alone can use every slot.
    private static let window = 64
    /// Files that are here already, placed in one go.
    private static let batch = 64
    private static let batchesAtOnce = 4

    /// - Returns: the files in the order of the manifest.
    /// - Throws: after what was begun has ended; what came stays in staging, noted there.
    func run() async throws(BundleFailure) -> [Placed] {
        var placed: [Placed] = []
        var failure: BundleFailure?
        // Of those that were given up after the first failure, none has another reason.
        for result in await outcomes(stopsAtFailure: true) {
            switch result {
            case .success(let file): placed.append(file)
            case .failure(let error): if failure?.code ?? .paused == .paused { failure = error }
            case nil: break
            }
        }
        if let failure { throw failure }
        return placed
    }

    private typealias Outcomes = [Int: Result<Placed, BundleFailure>]

    /// What became of each source; nil for one that was never begun.
    func outcomes(stopsAtFailure: Bool) async -> [Result<Placed, BundleFailure>?] {
        let placer = FilePlacer(
            staging: staging, shelves: await shelves(), fetcher: fetcher, placing: placing, keys: keys,
            keepsUnproven: keepsUnproven, progress: progress)
        let held = sources.indices.filter { placer.mayHold(sources[$0]) }
        let isHeld = Set(held)
        let hasFailed = Locked(false)
        // What is fetched keeps the network busy while the disk has what is here.
        async let taken = take(held, placer) { [control = fetcher.control] in
            control.reason != nil || hasFailed.withLock { $0 }
        }
        var results = await obtain(groups.filter { !isHeld.contains($0[0]) }, placer, stopsAtFailure)
        if stopsAtFailure, !results.values.allSatisfy(\.isSuccess) { hasFailed.withLock { $0 = true } }
        results.merge(await taken) { $1 }
        if !hasFailed.withLock({ $0 }) {
            // What couldn't be taken after all.
            let rest = held.filter { results[$0] == nil }.map { [$0] }
            results.merge(await obtain(rest, placer, stopsAtFailure)) { $1 }
        }
        return sources.indices.map { results[$0] }
    }

    private func obtain(_ groups: [[Int]], _ placer: FilePlacer, _ stopsAtFailure: Bool) async -> Outcomes {
        var results: Outcomes = [:]
        await TaskWindow.run(groups.count, width: Self.window) { number in
            let group = groups[number]
            return await slots.withSlot { await placer.place(group.map { sources[$0] }) }
        } take: { number, outcomes in
            for (index, outcome) in zip(groups[number], outcomes) { results[index] = outcome }
            return !stopsAtFailure || outcomes.allSatisfy(\.isSuccess)
        }
        return results
    }

    /// Takes the files that are here already, as far as their digests tell.
    private func take(
        _ held: [Int], _ placer: FilePlacer, unless isStopped: @escaping @Sendable () -> Bool
    ) async -> Outcomes {
        var results: Outcomes = [:]
        let batches = stride(from: 0, to: held.count, by: Self.batch).map { held[$0...].prefix(Self.batch) }
        // They wait for the disk, and for no server: none of the slots is for them.
        await TaskWindow.run(batches.count, width: Self.batchesAtOnce) { number in
            await placer.takeHeld(batches[number].map { sources[$0] }, unless: isStopped)
        } take: { number, files in
            for (index, file) in zip(batches[number], files) { results[index] = file.map { .success($0) } }
            return !isStopped()
        }
        return results
    }

    /// What is fetched one after the other: the parts of one file; any other file is alone.
    private var groups: [[Int]] {
        var groups: [[Int]] = []
        var numbers: [String: Int] = [:]
        for (index, source) in sources.enumerated() {
            let name = source.byteRange == nil ? nil : fetcher.name(of: source.file)
            if let name, let number = numbers[name] {
                groups[number].append(index)
            } else {
                if let name { numbers[name] = groups.count }
                groups.append([index])
            }
        }
        return groups
    }

    private func shelves() async -> [Shelf] {
        let (digests, urls) = wanted
        let named = Set(sources.map { fetcher.name(of: $0) })
        return await placing.run { [salvage, previous, sharing, fetcher, trustsSalvage, trustsPrevious, others] in
            salvage?.prune(naming: named.contains) { source in
                digests.contains(source.sha256)
                    || ((source.validator != nil || trustsSalvage) && urls.contains(source.url))
            }
            // Content that can't be read is for `verify` to report; here its files are only fetched again.
            let stored = sharing ?? previous.flatMap { try? ContentSharing($0) }
            let known = [
                salvage.map { Shelf($0, fetcher.limits, isTrusted: trustsSalvage) },
                stored.map { Shelf($0, isTrusted: trustsPrevious) },
            ]
            return known.compactMap(\.self) + others
        }
    }

    /// By what a file may be known that is here already: its digest, or where there is none its URL.
    private var wanted: (digests: Set<SHA256Digest>, urls: Set<String>) {
        (
            Set(sources.compactMap(\.file.digest)),
            Set(sources.filter { $0.file.digest == nil }.map { fetcher.name(of: $0) })
        )
    }
}

extension Result {
    /// Whether it is no failure.
    var isSuccess: Bool {
        if case .success = self { return true }
        return false
    }
}
