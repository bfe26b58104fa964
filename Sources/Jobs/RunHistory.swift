import ContentLibrary
import Platform
import Transfer

/// What a run notes in the library's index. The index may be lost without harm, so trouble with it is told and stops nothing.
final class RunHistory: Sendable {
    private let index: StateIndex?
    private let run: Int64?
    private let warn: @Sendable (String) -> Void
    /// What can't be noted once can't be noted a hundred times: it is told once.
    private let warnings = Locked<Set<String>>([])

    /// What the clock showed at the run before; nil where nobody knows.
    let previousTime: Timestamp?
    /// What is known of manifests by now: written down at the end, in one step with it.
    private let manifests = Locked<[SHA256Digest: ManifestRecord]>([:])

    init(_ writer: LibraryWriter, command: String, at now: Timestamp, warn: @escaping @Sendable (String) -> Void) {
        self.warn = warn
        var index: StateIndex?
        var run: Int64?
        var previous: Int64?
        do throws(LibraryError) {
            index = try writer.openStateIndex()
            previous = try index?.value(of: .lastTime)
            run = try index?.beginRun(command: command, at: now)
        } catch {
            warn("the history of this run is not kept: \(error)")
        }
        self.index = index
        self.run = run
        previousTime = previous.map { Timestamp(seconds: $0) }
    }

    /// What a library's index tells without the lock, and takes no notes; nil where there is none.
    init?(reading library: Library) {
        guard let index = library.readStateIndex() else { return nil }
        (self.index, run, previousTime, warn) = (index, nil, nil, { _ in })
    }

    /// The last run that came to its end.
    var lastRun: RunRecord? {
        let runs = attempt { index throws(LibraryError) in try index.runs(limit: Self.lookedThroughRuns) } ?? []
        return runs.first { $0.ended != nil }
    }

    /// One that was killed has no end.
    private static let lookedThroughRuns = 20

    /// The highest serial that was ever published for a manifest; nil when none was, or nobody knows.
    func highestSerial(of manifest: ContentID) -> Int? {
        attempt { index throws(LibraryError) in try index.highestSerial(of: manifest) } ?? nil
    }

    /// What is known of the manifest that was last read from a place.
    func manifest(from source: SHA256Digest) -> ManifestRecord? {
        let known = attempt { index throws(LibraryError) in try index.manifest(from: source) } ?? nil
        guard var record = manifests.withLock({ $0[source] }) else { return known }
        record.lastSuccess = record.lastSuccess ?? known?.lastSuccess
        record.lastComplete = record.lastComplete ?? known?.lastComplete
        return record
    }

    func record(_ manifests: [SHA256Digest: ManifestRecord]) {
        self.manifests.withLock { $0.merge(manifests) { $1 } }
    }

    /// What is known of a manifest's bundles.
    func bundles(of manifest: ContentID) -> [ContentID: BundleRecord] {
        attempt { index throws(LibraryError) in try index.bundles(of: manifest) } ?? [:]
    }

    func distrust(of url: TransferURL, for wanted: SHA256Digest) -> DistrustRecord? {
        let source = SHA256.digest(of: url.text.utf8)
        return attempt { index throws(LibraryError) in try index.distrust(of: source, for: wanted) } ?? nil
    }

    func noteWrongBytes(from url: TransferURL, insteadOf wanted: SHA256Digest) {
        let source = SHA256.digest(of: url.text.utf8)
        attempt { index throws(LibraryError) in try index.noteWrongBytes(from: source, insteadOf: wanted) }
    }

    func rejection(of url: TransferURL, for use: SHA256Digest) -> RejectionRecord? {
        let source = SHA256.digest(of: url.text.utf8)
        return attempt { index throws(LibraryError) in try index.rejection(of: source, for: use) } ?? nil
    }

    func noteRejection(of validator: String, from url: TransferURL, for use: SHA256Digest, at time: Timestamp) {
        let source = SHA256.digest(of: url.text.utf8)
        attempt { index throws(LibraryError) in
            try index.noteRejection(of: validator, from: source, for: use, at: time)
        }
    }

    func removeRejection(of url: TransferURL, for use: SHA256Digest) {
        let source = SHA256.digest(of: url.text.utf8)
        attempt { index throws(LibraryError) in try index.removeRejection(of: source, for: use) }
    }

    func distrustedSourceCount(at now: Timestamp) -> Int {
        attempt { index throws(LibraryError) in try index.distrustedSourceCount(at: now) } ?? 0
    }

    /// Whether what is noted will be known to the next run.
    var isKept: Bool { run != nil }

    /// When the first run began that is remembered; nil where nobody can tell.
    var firstRun: Timestamp? {
        attempt { index throws(LibraryError) in try index.firstRun() } ?? nil
    }

    /// Forgets what happened to bundles that a manifest doesn't list any more.
    func forgetUnlisted(_ manifests: [LoadedManifest]) {
        for manifest in manifests {
            let listed = Set(manifest.manifest.bundles.map(\.id.text))
            attempt { index throws(LibraryError) in
                try index.forgetBundles(of: manifest.id) { listed.contains($0.description) }
            }
        }
    }

    /// Content that was found damaged, and hasn't been mended since.
    var damagedContents: Set<StoreAddress> {
        attempt { index throws(LibraryError) in try index.damagedContents() } ?? []
    }

    /// Notes that content was found damaged.
    func record(damaged contents: Set<StoreAddress>) {
        let records = contents.map { ($0, VerificationRecord(damage: "it was found damaged")) }
        attempt { index throws(LibraryError) in try index.record(Dictionary(uniqueKeysWithValues: records)) }
    }

    /// Notes that content is whole again.
    func record(mended contents: Set<StoreAddress>, at now: Timestamp) {
        let records = contents.map { ($0, VerificationRecord(time: now)) }
        attempt { index throws(LibraryError) in try index.record(Dictionary(uniqueKeysWithValues: records)) }
    }

    /// Forgets what was found of content that is gone.
    func forgetVerifications(of gone: [StoreAddress]) {
        attempt { index throws(LibraryError) in try index.forgetVerifications(of: gone) }
    }

    /// Forgets all of a manifest but the highest serial that was published of it.
    func forget(_ manifest: ContentID) {
        attempt { index throws(LibraryError) in try index.forget(manifest) }
    }

    func fetchedBytes(inMonth month: String) -> Int64? {
        attempt { index throws(LibraryError) in try index.fetchedBytes(inMonth: month) } ?? nil
    }

    func add(fetchedBytes bytes: Int64, inMonth month: String) {
        attempt { index throws(LibraryError) in try index.add(fetchedBytes: bytes, inMonth: month) }
    }

    func value(of fact: StateIndex.Fact) -> Int64? {
        attempt { index throws(LibraryError) in try index.value(of: fact) } ?? nil
    }

    func set(_ fact: StateIndex.Fact, to value: Int64) {
        attempt { index throws(LibraryError) in try index.set(fact, to: value) }
    }

    func recordPublication(_ generation: GenerationNumber, _ serials: [ContentID: Int]) {
        attempt { index throws(LibraryError) in try index.recordPublication(generation, serials: serials) }
    }

    func record(_ outcomes: [BundleOutcome]) {
        attempt { index throws(LibraryError) in try index.record(outcomes) }
    }

    func end(exit: ExitCode, _ summary: RunSummary) {
        guard let run else { return }
        var counts = RunCounts()
        (counts.published, counts.unchanged) = (summary.published, summary.unchanged)
        (counts.failed, counts.paused) = (summary.failed, summary.paused)
        (counts.bytesFetched, counts.bytesResumed) = (summary.fetchedBytes, summary.resumedBytes)
        let manifests = manifests.withLock { $0 }
        attempt { index throws(LibraryError) in
            try index.endRun(run, exit: exit.rawValue, counts: counts, manifests: manifests)
        }
    }

    @discardableResult
    private func attempt<Result>(_ body: (StateIndex) throws(LibraryError) -> Result) -> Result? {
        guard let index else { return nil }
        do throws(LibraryError) { return try body(index) } catch {
            let warning = "the library's index could not be used: \(error)"
            if warnings.withLock({ $0.insert(warning).inserted }) { warn(warning) }
            return nil
        }
    }
}
