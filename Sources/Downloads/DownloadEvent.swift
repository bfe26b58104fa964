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
