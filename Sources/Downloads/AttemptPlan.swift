import Platform
import Transfer

/// What one try at one source is to do.
struct AttemptPlan {
    let attempt: AttemptID
    let download: DownloadID
    let url: TransferURL
    /// All sources of the request, this one among them.
    let sources: [TransferURL]
    let headers: HeaderFields
    let redirects: RedirectPolicy
    /// What the partial file is named by.
    let key: SourceKey
    let digestKey: DigestKey?
    let partialFile: PartialFile.Location?
    let digest: SHA256Digest?
    let takesDigest: Bool
    let expectedBytes: Int64?
    let budgetBytes: Int64?

    init(_ download: Download, attempt: AttemptID, takesDigest: Bool) {
        self.attempt = attempt
        self.download = download.id
        url = download.sources.current
        sources = download.sources.sources
        headers = download.request.headers
        redirects = download.request.redirects
        key = download.key
        digestKey = DigestKey(download.request)
        partialFile = download.request.partialFile
        digest = download.digest
        self.takesDigest = takesDigest || download.digest != nil
        expectedBytes = download.expectedBytes
        budgetBytes = download.budgetBytes
    }
}
