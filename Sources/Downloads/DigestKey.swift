import Platform
import Transfer

/// What makes two requests the same download whatever their URLs: a known digest. Here, too, different credentials never share, nor do those who
/// want something else of redirects, or hold something else.
struct DigestKey: Hashable {
    let digest: SHA256Digest
    let headers: HeaderFields
    let userInfo: String?
    let redirects: RedirectPolicy
    let condition: DownloadCondition?

    /// Nil when the request knows no digest, or is for a part: what has the digest as a whole is no source of a part that has it.
    init?(_ request: DownloadRequest) {
        guard let digest = request.digest, request.byteRange == nil else { return nil }
        self.digest = digest
        headers = request.headers
        userInfo = request.urls[0].userInfo
        redirects = request.redirects
        condition = request.condition
    }
}
