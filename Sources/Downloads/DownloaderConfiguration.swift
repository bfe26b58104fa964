import Transfer

/// How a downloader works.
public struct DownloaderConfiguration: Hashable, Sendable {
    /// How its session speaks to the network.
    public var session = SessionConfiguration()
    /// Transfers at once: 8.
    public var maximumTransfers = 8
    /// Transfers at once from one host: 6.
    public var maximumTransfersPerHost = 6
    /// When a download is fetched over several connections, each of which counts as a transfer.
    public var split = SplitPolicy()
    /// How failed sources are asked again.
    public var retry = RetryPolicy()
    /// Whether the SHA-256 of every asset is taken on the way, asked for or not: true.
    public var takesDigests = true

    /// The defaults.
    public init() {}
}
