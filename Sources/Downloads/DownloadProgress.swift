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
