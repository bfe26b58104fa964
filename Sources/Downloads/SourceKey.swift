import Transfer

/// What makes two requests the same download: the URL that was asked for, not one a redirect led to; whatever else the server is told, the
/// condition included; the part that is wanted; and what may become of a redirect. Different credentials never share.
struct SourceKey: Hashable {
    let url: TransferURL
    let byteRange: Range<Int64>?
    let headers: HeaderFields
    let redirects: RedirectPolicy
    let condition: DownloadCondition?

    init(_ request: DownloadRequest) {
        url = request.urls[0]
        byteRange = request.byteRange
        headers = request.headers
        redirects = request.redirects
        condition = request.condition
    }
}
