import Transfer

/// What a caller hears of its download while it waits. Events of one caller come in order, and none after its answer.
public enum DownloadEvent: Sendable {
    /// The caller joined a transfer that others had asked for.
    case coalesced
    /// A request goes out to this source.
    case started(TransferURL)
    /// The transfer goes on where an earlier one had been paused or lost: that many bytes aren't fetched again.
    case resumed(offsetBytes: Int64)
    /// More bytes are on the disk; who joins a running transfer is told at once how far it is.
    case progress(DownloadProgress)
    /// The source failed; another try follows after the delay.
    case retrying(DownloadError, after: Duration)
}

/// What concerns a downloader as a whole.
public enum DownloaderEvent: Hashable, Sendable {
    /// Connections are built anew, in a new session; every transfer goes on in it.
    case sessionRebuilt(RebuildReason)
    /// The first of some downloads waits for a network that leads to its sources: none is there, by what `Downloader.setNetwork` was told.
    case waitingForNetwork
    /// Memory is short: what was held for speed alone was let go.
    case memoryPressure(MemoryRelief)
}

/// Why connections are built anew.
public enum RebuildReason: String, Hashable, Sendable {
    /// Another configuration can't be taken by the session that is there.
    case configuration
    /// So it is, and the configuration changed by the clock.
    case schedule
    /// The machine slept, and servers have given its connections up.
    case resumedFromSleep = "resumed from sleep"
    /// The machine reaches other networks in another way now.
    case routeChanged = "route changed"
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
