import Platform
import Transfer

/// Fetches playlists into memory, each within a budget.
struct PlaylistFetch: Sendable {
    let session: Session
    let redirects: RedirectPolicy
    let budgetBytes: Int

    enum Outcome: Sendable {
        /// With the URL that it came from, after redirects.
        case read([UInt8], TransferURL)
        case failed(String)
        case stopped
    }

    func playlist(at url: TransferURL, _ headers: HeaderFields) async -> Outcome {
        var request = TransferRequest(url: url)
        request.headers = headers
        request.redirects = redirects
        request.bodyBudgetBytes = Int64(budgetBytes)
        return await withCheckedContinuation { continuation in
            session.start(request, consumer: BodyConsumer { continuation.resume(returning: $0) })
        }
    }
}

/// Keeps the body of a reply that is a success.
private final class BodyConsumer: TransferConsumer {
    private let body = Locked<[UInt8]>([])
    private let end: @Sendable (PlaylistFetch.Outcome) -> Void

    init(end: @escaping @Sendable (PlaylistFetch.Outcome) -> Void) { self.end = end }

    func receive(_ response: TransferResponse) -> ResponseDisposition {
        (200..<300).contains(response.status) ? .receiveBody : .ignoreBody
    }

    func receive(_ body: UnsafeRawBufferPointer) {
        let piece = Array(body)
        self.body.withLock { $0 += piece }
    }

    func finish(_ outcome: TransferOutcome) {
        switch outcome.result {
        case .success(let response) where (200..<300).contains(response.status):
            end(.read(body.withLock { $0 }, response.url))
        case .success(let response): end(.failed("the server answers with status \(response.status)"))
        case .failure(.cancelled): end(.stopped)
        case .failure(let error): end(.failed(error.description))
        }
    }
}
