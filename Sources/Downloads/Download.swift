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
        /// `isStopping`: it was told to stop, since nobody waited any more or its session is being replaced.
        case running(AttemptID, isStopping: Bool)
        /// Waits out a delay between two tries; the number tells its alarm from older ones.
        case resting(UInt64)
    }

    /// Whether any try since the last pause has brought a byte.
    var hasFetched = false

    /// What one caller expects of the asset.
    struct Caller {
        let token: DownloadToken
        let sizeBytes: Int64?
        let digest: SHA256Digest?
        let budgetBytes: Int64?
        let priority: Int
    }

    var digest: SHA256Digest? { request.digest }
    var priority: Int { callers.map(\.priority).max() ?? request.priority }

    /// The most that any caller will take; nil when one of them takes any number.
    var budgetBytes: Int64? {
        callers.reduce(0) { most, caller in
            guard let most, let budget = caller.budgetBytes else { return nil }
            return max(most, budget)
        }
    }

    /// The length some caller knows the asset to have.
    var expectedBytes: Int64? { callers.lazy.compactMap(\.sizeBytes).first }
}

extension Download.Caller {
    init(token: DownloadToken, request: DownloadRequest) {
        self.init(
            token: token, sizeBytes: request.sizeBytes, digest: request.digest, budgetBytes: request.budgetBytes,
            priority: request.priority)
    }

    /// Whether a complete asset is what this caller asked for.
    func judge(sizeBytes actual: Int64, digest actualDigest: SHA256Digest?) -> DownloadError? {
        if let budgetBytes, actual > budgetBytes {
            return DownloadError(.overBudget, "the asset's \(actual) bytes are over the \(budgetBytes) allowed")
        }
        if let sizeBytes, actual != sizeBytes {
            return DownloadError(.sizeMismatch, "the asset has \(actual) bytes where \(sizeBytes) were asked for")
        }
        if let digest, digest != actualDigest {
            return DownloadError(
                .digestMismatch,
                "the asset's SHA-256 is \(actualDigest?.description ?? "unknown") where \(digest) was asked for")
        }
        return nil
    }
}
