import Platform
import Transfer

/// What a caller wants: an asset, where it may be had, and what will be accepted for it.
public struct DownloadRequest: Sendable {
    /// Sources of the same bytes in order of preference; never empty.
    public let urls: [TransferURL]
    /// The part of what is at `urls` that is wanted (RFC 9110 §14); nil, the default: all of it. The part is the asset then: length, digest and
    /// budget are the part's. Where a source doesn't do ranges, and no other has the part, the request fails with `rangeIgnored`; nothing else
    /// is taken for the part. An empty part, or one from before the first byte, fails with `unusableRequest`, and nobody is asked.
    public var byteRange: Range<Int64>?
    /// Sent with every request for this asset, to its own origins only, never across a redirect to another. With one that frames the message, asks
    /// for a range or a coding, or makes a condition, the request fails with `unusableRequest`.
    public var headers = HeaderFields()
    /// The asset's length where it is known beforehand; another length is refused.
    public var sizeBytes: Int64?
    /// The asset's SHA-256 where it is known beforehand; other bytes are refused. Requests of one digest share one transfer, their URLs being
    /// mirrors.
    public var digest: SHA256Digest?
    /// How many bytes the caller will take at most; nil, the default: any number.
    public var budgetBytes: Int64?
    /// How often a failed source is asked again at most, counted anew whenever bytes arrived; nil, the default: as the configuration says. Of a
    /// shared transfer the first caller's counts.
    public var retries: Int?
    /// Whether a source that has no route to it has failed, even while there is no network (``Downloader/setNetwork(isUsable:)``); false, the
    /// default: then the request waits until there is one. Of a shared transfer the first caller's counts.
    public var failsWithoutNetwork = false
    /// Higher goes first; a shared transfer has the highest of its callers'. 0 by default.
    public var priority = 0
    /// What becomes of redirects; followed up to ten times by default.
    public var redirects = RedirectPolicy.follow(limit: 10)
    /// What the caller has already and doesn't want again; nil, the default: nothing. Only requests of one condition share a transfer.
    public var condition: DownloadCondition?
    /// Where the bytes gather until they are complete; by default in the downloader's own store. One place is one asset's at a time: whoever wants
    /// another one there waits until the ``DownloadedFile`` that lies there was taken away, or let go.
    public var partialFile: PartialFile.Location?
    /// Told of the bytes while they arrive; of a shared transfer the first caller's is.
    package var arriving: ArrivingBytes?

    /// Asks for the asset at `url`.
    /// - Parameters:
    ///   - url: the first source.
    ///   - mirrors: other sources of the same bytes, tried in order when `url` fails.
    public init(_ url: TransferURL, mirrors: [TransferURL] = []) { urls = [url] + mirrors }

    /// Why nobody can be asked for it; nil where somebody can.
    var problem: DownloadError? {
        if let byteRange, byteRange.isEmpty || byteRange.lowerBound < 0 {
            return DownloadError(
                .unusableRequest, "bytes \(byteRange.lowerBound) to \(byteRange.upperBound) are no part of anything")
        }
        return headers.first(of: FieldName.reserved).map {
            DownloadError(.unusableRequest, "the header \($0.name) is set for each request, and can't be asked for")
        }
    }
}
