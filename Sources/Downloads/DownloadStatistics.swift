/// What a downloader has done since it was made.
public struct DownloadStatistics: Hashable, Sendable {
    /// Body bytes that came over the wire.
    public var fetchedBytes: Int64 = 0
    /// Bytes that were held from earlier and not fetched again.
    public var resumedBytes: Int64 = 0
    /// Bytes that callers got from a transfer that another one had asked for.
    public var coalescedBytes: Int64 = 0
    /// Requests sent.
    public var requestCount = 0
}
