import Platform
import Transfer

/// What one try at one source is to do.
final class AttemptPlan: Sendable {
    let attempt: AttemptID
    let download: DownloadID
    let url: TransferURL
    /// All sources of the request, this one among them.
    let sources: [TransferURL]
    /// The part of what is there that is the asset; nil: all of it.
    let part: Range<Int64>?
    /// What every source is sent.
    let headers: HeaderFields
    /// What the source is told that the caller has already; it may answer that nothing has changed.
    let condition: DownloadCondition?
    let redirects: RedirectPolicy
    /// What the partial file is named by.
    let key: SourceKey
    let digestKey: DigestKey?
    let partialFile: PartialFile.Location?
    let arriving: ArrivingBytes?
    let digest: SHA256Digest?
    let takesDigest: Bool
    let expectedBytes: Int64?
    let budgetBytes: Int64?
    let split: SplitPolicy

    init(_ download: Download, attempt: AttemptID, takesDigest: Bool, split: SplitPolicy = SplitPolicy()) {
        self.attempt = attempt
        self.download = download.id
        url = download.sources.current
        sources = download.sources.sources
        part = download.request.byteRange
        headers = download.request.headers
        condition = download.request.condition.flatMap { $0.sourceURL == download.sources.current ? $0 : nil }
        redirects = download.request.redirects
        key = download.key
        digestKey = DigestKey(download.request)
        partialFile = download.request.partialFile
        arriving = download.request.arriving
        digest = download.digest
        self.takesDigest = takesDigest || download.digest != nil
        self.split = arriving != nil ? split.readWhileArriving : self.takesDigest ? split : split.withoutDigest
        expectedBytes = download.expectedBytes ?? part.map { $0.upperBound - $0.lowerBound }
        budgetBytes = download.budgetBytes
    }
}
