import Transfer

/// What a caller hears of its download while it waits. Events of one caller come in order, and none after its answer.
public enum DownloadEvent: Sendable {
    /// The caller joined a transfer that others had asked for.
    case coalesced
    /// A request goes out to this source.
    case started(TransferURL)
    /// The transfer goes on where an earlier one had been paused or lost: that many bytes aren't fetched again.
    case resumed(offsetBytes: Int64)
    case progress(DownloadProgress)
    /// The source failed; another try follows after the delay.
    case retrying(DownloadError, after: Duration)
}

/// What concerns a downloader as a whole.
public enum DownloaderEvent: Hashable, Sendable {
    /// A new configuration took a new session; every transfer goes on in it.
    case sessionRebuilt
    /// Memory is short: what was held for speed alone was let go.
    case memoryPressure(MemoryRelief)
}

/// How far a download is.
public struct DownloadProgress: Hashable, Sendable {
    /// Bytes of the asset that are on the disk, those of earlier transfers included.
    public var receivedBytes: Int64
    /// The asset's length; nil while it is unknown.
    public var totalBytes: Int64?
    /// Where the running transfer picked up: bytes that it didn't fetch.
    public var resumedFromBytes: Int64
    /// The rate of the running transfer over its last seconds; nil until it is known.
    public var bytesPerSecond: Int64?
    /// Whether the bytes count as another caller's, who has waited for longer: of all who share a transfer one is told `false`.
    public var isShared = false
}
