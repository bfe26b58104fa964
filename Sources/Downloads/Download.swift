import Platform
import Transfer

/// Names one download of a downloader.
struct DownloadID: Hashable {
    let number: UInt64
}

/// Names one try of a download. What a replaced try reports late carries an old name, and is dropped.
struct AttemptID: Hashable {
    let number: UInt64
}

/// A running, or waiting, download and the callers who wait on it.
struct Download {
    let id: DownloadID
    /// What the first caller asked for: where, with what headers, into which partial file.
    let request: DownloadRequest
    let key: SourceKey
    var sources: SourceRotation
    var callers: [Caller] = []
    var phase = Phase.queued
    var progress = DownloadProgress(receivedBytes: 0, totalBytes: nil, resumedFromBytes: 0, bytesPerSecond: nil)

    enum Phase: Hashable {
        /// Waits for its turn.
        case queued
        /// `isStopping`: it was told to stop, since nobody waited any more.
        case running(AttemptID, isStopping: Bool)
        /// Waits out a delay between two tries; the number tells its alarm from older ones.
        case resting(UInt64)
        /// Waits for a network that leads to its sources, or for its alarm.
        case stranded(UInt64)
    }

    /// Whether it has waited for a network, and hasn't got any further since.
    var isStranded = false

    /// Whether it is known since the last pause what earlier transfers had saved: what is held from now on was fetched by this one.
    var knowsSavings = false

    /// What its running try reported to be on the disk.
    var attemptBytes: Int64 = 0
    /// Sources that its running try can't have ranges of beside each other.
    var unsplittable: Set<TransferURL> = []
    /// Those that have, or say, something else than what is held: nothing of theirs is ever fetched beside it.
    var foreign: Set<TransferURL> = []
    /// Sources that have brought something in its running try.
    var delivering: Set<TransferURL> = []
    /// Sources that sent something else, the end of it ahead of its turn: next time they are asked for all in one go.
    var plainSources: Set<TransferURL> = []
    /// Whether it may have several connections: not once what was fetched so had to be thrown away.
    var maySplit = true

    /// The source of which ranges alone made something else than was asked for. Should it have the whole, its ranges were not what they said.
    var rangeSuspect: TransferURL?

    /// That a source doesn't do ranges, once one was found not to.
    var rangeIgnored: AttemptFailure?

    /// That too little may still be received for all of it, once that kept it from being begun at a source: no fault of any source.
    var creditSpent: AttemptFailure?

    /// Whether its last try ended only with its session: it goes on as if nothing had been.
    var isInterrupted = false

    /// Who waits, and what for.
    struct Caller {
        let token: DownloadToken
        let request: DownloadRequest
    }

    /// A try begins; what was known of the one before doesn't count.
    mutating func begin(_ attempt: AttemptID) {
        phase = .running(attempt, isStopping: false)
        isInterrupted = false
        attemptBytes = 0
        unsplittable = plainSources
        delivering = []
    }

    var digest: SHA256Digest? { request.digest }
    var priority: Int { callers.map(\.request.priority).max() ?? request.priority }

    /// The most that any caller will take; nil when one of them takes any number.
    var budgetBytes: Int64? {
        callers.reduce(0) { most, caller in
            guard let most, let budget = caller.request.budgetBytes else { return nil }
            return max(most, budget)
        }
    }

    /// The length some caller knows the asset to have.
    var expectedBytes: Int64? { callers.lazy.compactMap(\.request.sizeBytes).first }
}

extension Download.Caller {
    /// Whether a complete asset is what this caller asked for.
    func judge(sizeBytes actual: Int64, digest actualDigest: SHA256Digest?) -> DownloadError? {
        if let budgetBytes = request.budgetBytes, actual > budgetBytes {
            return DownloadError(.overBudget, "the asset's \(actual) bytes are over the \(budgetBytes) allowed")
        }
        if let sizeBytes = request.sizeBytes, actual != sizeBytes {
            return DownloadError(.sizeMismatch, "the asset has \(actual) bytes where \(sizeBytes) were asked for")
        }
        if let digest = request.digest, digest != actualDigest {
            return DownloadError(
                .digestMismatch,
                "the asset's SHA-256 is \(actualDigest?.description ?? "unknown") where \(digest) was asked for")
        }
        return nil
    }

    /// Whether a failure is one by what this caller knows of the asset; another caller who knows nothing of the kind isn't hurt by it.
    func isMeant(by failure: AttemptFailure, of download: Download) -> Bool {
        switch failure.error.code {
        case .digestMismatch: request.digest != nil
        case .sizeMismatch: request.sizeBytes == download.expectedBytes
        default: true
        }
    }
}
