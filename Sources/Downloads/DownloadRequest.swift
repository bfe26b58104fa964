import Platform
import Transfer

/// What a caller wants: an asset, where it may be had, and what will be accepted for it.
public struct DownloadRequest: Sendable {
    /// Sources of the same bytes in order of preference; never empty.
    public let urls: [TransferURL]
    /// Sent with every request for this asset, to its own origins only, never across a redirect to another.
    public var headers = HeaderFields()
    /// The asset's length where it is known beforehand; another length is refused.
    public var sizeBytes: Int64?
    /// The asset's SHA-256 where it is known beforehand; other bytes are refused. Requests of one digest share one transfer, their URLs being
    /// mirrors.
    public var digest: SHA256Digest?
    /// How many bytes the caller will take at most; nil, the default: any number.
    public var budgetBytes: Int64?
    /// Higher goes first; a shared transfer has the highest of its callers'. 0 by default.
    public var priority = 0
    /// What becomes of redirects; followed up to ten times by default.
    public var redirects = RedirectPolicy.follow(limit: 10)
    /// Where the bytes gather until they are complete; by default in the downloader's own store.
    public var partialFile: PartialFile.Location?

    /// Asks for the asset at `url`.
    /// - Parameter mirrors: other sources of the same bytes, tried in order when `url` fails.
    public init(_ url: TransferURL, mirrors: [TransferURL] = []) { urls = [url] + mirrors }
}

/// What makes two requests the same download besides a known digest: the URL that was asked for, not one a redirect led to, and whatever else
/// the server is told. Different credentials never share.
struct SourceKey: Hashable {
    let url: TransferURL
    let headers: HeaderFields
}
