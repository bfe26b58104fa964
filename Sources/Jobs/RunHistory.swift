import ContentLibrary
import Platform
import Transfer

/// What a run notes in the library's index. The index may be lost without harm, so trouble with it is told and stops nothing.
final class RunHistory: Sendable {
    private let index: StateIndex?
    private let command: String
    private let started: Timestamp
    private let run = Locked(Run.unbegun)
    private let warn: @Sendable (String) -> Void
    /// What can't be noted once can't be noted a hundred times: it is told once.
    private let warnings = Locked<Set<String>>([])

    /// What the clock showed at the run before; nil where nobody knows.
    let previousTime: Timestamp?
    /// What is known of manifests by now: written down at the end, in one step with it.
    private let manifests = Locked<[SHA256Digest: ManifestRecord]>([:])
    /// Why the manifest at a place could not be followed; nil where it could. Written down with them.
    private let fates = Locked<[SHA256Digest: ManifestFate]>([:])

    /// What is noted of the run itself.
    private enum Run {
        /// Nothing so far. A run that finds nothing to do is noted when it ends.
        case unbegun
        case begun(Int64)
        /// It can't be noted, or is only looked back at.
        case untold
    }

    init(_ writer: LibraryWriter, command: String, at now: Timestamp, warn: @escaping @Sendable (String) -> Void) {
        self.warn = warn
        (self.command, started) = (command, now)
        var index: StateIndex?
        var previous: Int64?
        do throws(LibraryError) {
            index = try writer.openStateIndex()
            previous = try index?.value(of: .lastTime)
        } catch {
            warn("the history of this run is not kept: \(error)")
        }
        self.index = index
        previousTime = previous.map { Timestamp(seconds: $0) }
    }

    /// What a library's index tells without the lock, and takes no notes; nil where there is none.
    init?(reading library: Library) {
        guard let index = library.readStateIndex() else { return nil }
        (self.index, previousTime, warn) = (index, nil, { _ in })
        (command, started) = ("", Timestamp(seconds: 0))
        run.withLock { $0 = .untold }
    }

    /// The same, and takes notes where the index can be written.
    init?(noting library: Library) {
        guard let index = library.openStateIndexForNotes() else { return nil }
        (self.index, previousTime, warn) = (index, nil, { _ in })
        (command, started) = ("", Timestamp(seconds: 0))
        run.withLock { $0 = .untold }
    }

    /// The same of the library at a path; nil where there is none, either.
    convenience init?(reading path: String) {
        guard let library = try? Library.open(path, for: .reading) else { return nil }
        self.init(reading: library)
    }

    /// Notes that the run has something to do: should it be killed, that is known.
    func begin() {
        guard let index, case .unbegun = run.withLock({ $0 }) else { return }
        do throws(LibraryError) {
            let number = try index.beginRun(command: command, at: started)
            run.withLock { $0 = .begun(number) }
        } catch {
            warn("the history of this run is not kept: \(error)")
            run.withLock { $0 = .untold }
        }
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
        guard record.manifest == known?.manifest else { return record }
        record.lastSuccess = record.lastSuccess ?? known?.lastSuccess
        record.lastComplete = record.lastComplete ?? known?.lastComplete
        return record
    }

    /// When what was asked for of the manifest at a place was last up to date; where it never was, since when it is waited for. Nil where nobody
    /// knows, and where another manifest has come there just now.
    func freshness(of source: SHA256Digest) -> Timestamp? {
        if let record = manifests.withLock({ $0[source] }) {
            if let lastSuccess = record.lastSuccess { return lastSuccess }
            let known = attempt { index throws(LibraryError) in try index.manifest(from: source) } ?? nil
            if let known, known.manifest != record.manifest { return nil }
        }
        return attempt { index throws(LibraryError) in try index.freshness(of: source) } ?? nil
    }

    /// Notes that places are waited for from now on, where nothing is known of them.
    func noteWaits(for sources: [SHA256Digest], at now: Timestamp) {
        attempt { index throws(LibraryError) in try index.noteWaits(for: sources, at: now) }
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
    var isKept: Bool {
        if case .untold = run.withLock({ $0 }) { return false }
        return index != nil
    }

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

    /// Forgets that a manifest could not be followed.
    /// - Returns: whether there was anything to forget.
    func forgetRefusals(of manifest: ContentID) -> Bool {
        attempt { index throws(LibraryError) in try index.forgetRefusals(of: manifest) } ?? false
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

    /// Notes what became of the manifests at places.
    func record(_ fates: [SHA256Digest: ManifestFate]) {
        self.fates.withLock { $0.merge(fates) { $1 } }
    }

    func end(exit: ExitCode, _ summary: RunSummary) {
        var end = RunEnd(exit: exit.rawValue)
        end.stop = summary.stop?.rawValue
        (end.counts.published, end.counts.unchanged) = (summary.published, summary.unchanged)
        (end.counts.failed, end.counts.paused) = (summary.failed, summary.paused)
        end.counts.mended = summary.mended
        (end.counts.bytesFetched, end.counts.bytesResumed) = (summary.fetchedBytes, summary.resumedBytes)
        (end.counts.bytesFromCouriers, end.counts.bytesCopied) = (summary.courierBytes, summary.copiedBytes)
        end.manifests = manifests.withLock { $0 }
        end.fates = fates.withLock { $0 }
        let run = run.withLock { $0 }
        attempt { [end] index throws(LibraryError) in
            switch run {
            case .unbegun: try index.addRun(command: command, from: started, end)
            case .begun(let run): try index.endRun(run, end)
            case .untold: break
            }
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
