import Jobs
import Platform
import Transfer

/// A source that is asked, whichever downloads name it.
struct ProbedSource: Hashable, Sendable {
    let url: TransferURL
    /// The headers of the bundle.
    let headers: HeaderFields
}

/// What a source said.
enum SourceAnswer: Sendable {
    /// It was asked for its first byte and, before that, for the head alone; that is nil where the server refuses such a request, or fails at it.
    case reply(SourceReply, head: SourceReply?)
    case failure(TransferError)
    case notAsked(Reason)

    enum Reason {
        /// Its origin left others unanswered.
        case unresponsive
        /// The time was over, or somebody stopped the run.
        case stopped
    }
}

/// Asks one source: for the head (HEAD), and for its first byte, which shows whether the server can send parts.
struct SourceProbe: Sendable {
    let session: Session
    let redirects: RedirectPolicy

    /// More of a body isn't taken: whoever ignores the range may have gigabytes to send.
    static let bodyBudgetBytes: Int64 = 64 << 10

    func ask(_ source: ProbedSource) async -> SourceAnswer {
        var request = TransferRequest(url: source.url)
        request.headers = source.headers
        request.redirects = redirects
        request.method = .head
        let head = await exchange(request)
        // Where there is no connection, or it was ended by us, another request brings nothing new.
        if case .failure(let error) = head.result, error.isFinal { return SourceAnswer(error) }
        request.method = .get
        request.endBytes = 1
        request.bodyBudgetBytes = Self.bodyBudgetBytes
        let part = await exchange(request)
        switch part.result {
        case .failure(let error): return SourceAnswer(error)
        case .success(let response):
            return .reply(SourceReply(response, start: part.start), head: head.usableHead.map { SourceReply($0) })
        }
    }

    private func exchange(_ request: TransferRequest) async -> ProbeConsumer.Outcome {
        await withCheckedContinuation { continuation in
            session.start(request, consumer: ProbeConsumer { continuation.resume(returning: $0) })
        }
    }
}

extension SourceAnswer {
    fileprivate init(_ error: TransferError) {
        if case .cancelled = error { self = .notAsked(.stopped) } else { self = .failure(error) }
    }

    /// Whether it may have taken time, and there was no reply.
    var isSilence: Bool {
        switch self {
        case .failure(.redirectRefused), .failure(.unusableRequest), .reply, .notAsked: false
        case .failure: true
        }
    }
}

extension TransferError {
    fileprivate var isFinal: Bool {
        switch self {
        case .unreachable, .noRoute, .insecure, .cancelled, .unusableRequest, .timedOut(.connect, _): true
        default: false
        }
    }
}

/// Keeps the head of a reply and the first bytes of its body.
private final class ProbeConsumer: TransferConsumer {
    struct Outcome: Sendable {
        let result: Result<TransferResponse, TransferError>
        let start: [UInt8]

        /// The reply to HEAD where it is one that counts.
        var usableHead: TransferResponse? {
            guard case .success(let response) = result, (200..<300).contains(response.status) else { return nil }
            return response
        }
    }

    private struct Seen {
        var response: TransferResponse?
        var start: [UInt8] = []
    }

    private let seen = Locked(Seen())
    private let end: @Sendable (Outcome) -> Void

    init(end: @escaping @Sendable (Outcome) -> Void) { self.end = end }

    func receive(_ response: TransferResponse) -> ResponseDisposition {
        seen.withLock { $0.response = response }
        return (200..<300).contains(response.status) ? .receiveBody : .ignoreBody
    }

    func receive(_ body: UnsafeRawBufferPointer) {
        let piece = Array(body.prefix(HTMLPage.headBytes))
        seen.withLock { $0.start += piece.prefix(HTMLPage.headBytes - $0.start.count) }
    }

    func finish(_ outcome: TransferOutcome) {
        let seen = seen.withLock { $0 }
        // A body that is longer than anybody wants to see is no failure: its head is here.
        if case .failure(.overBudget) = outcome.result, let response = seen.response {
            end(Outcome(result: .success(response), start: seen.start))
        } else {
            end(Outcome(result: outcome.result, start: seen.start))
        }
    }
}
