import Platform
import Transfer

/// What one try at one source is to do.
struct AttemptPlan {
    let attempt: AttemptID
    let download: DownloadID
    let url: TransferURL
    /// All sources of the request, this one among them.
    let sources: [TransferURL]
    /// What is sent, the request's condition included where it is one for this source.
    let headers: HeaderFields
    /// Whether the source is told what the caller has already, and may answer that nothing has changed.
    let isConditional: Bool
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
        var headers = download.request.headers
        if let condition = download.request.condition, condition.sourceURL == url {
            isConditional = headers.append(condition.fieldName, condition.validator)
        } else {
            isConditional = false
        }
        self.headers = headers
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
