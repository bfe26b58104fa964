import Platform
import Transfer

/// One request of a try, over one of its connections.
final class SegmentExchange: @unchecked Sendable {
    // Sendable because its stages follow each other, ordered by the session: the head, then the body, then the end.

    private let attempt: DownloadAttempt
    private let writer: PartialWriter
    private let connection: ConnectionID
    private let point: ResumePoint
    /// Whether it is the try's first: its reply decides whether what is held is gone on with.
    private let isFirst: Bool

    private var response: TransferResponse?
    private var verdict: ResponseVerdict?
    private var hasBody = false

    init(
        of attempt: DownloadAttempt, _ writer: PartialWriter, _ connection: ConnectionID, at point: ResumePoint,
        isFirst: Bool
    ) {
        self.attempt = attempt
        self.writer = writer
        self.connection = connection
        self.point = point
        self.isFirst = isFirst
    }
}

extension SegmentExchange: TransferConsumer {
    func receive(_ response: TransferResponse) -> ResponseDisposition {
        let verdict = verdict(on: response)
        self.verdict = verdict
        switch verdict {
        case .append, .fresh: return .receiveBody
        case .alreadyWhole, .fail: return .ignoreBody
        }
    }

    private func verdict(on reply: TransferResponse) -> ResponseVerdict {
        var response = reply
        if let part = attempt.plan.part {
            do throws(AttemptFailure) {
                response = try reply.asReply(to: part, isFromStart: isFirst && point.offsetBytes == 0)
                if let total = (reply.contentRange ?? nil)?.totalBytes { attempt.wholeBytes.withLock { $0 = total } }
            } catch {
                return .fail(error)
            }
        }
        self.response = response
        return isFirst ? attempt.withinCredit(point.verdict(on: response), response, at: point) : rangeVerdict(response)
    }

    private func rangeVerdict(_ response: TransferResponse) -> ResponseVerdict {
        if response.url != attempt.response?.url { attempt.isDiverted.withLock { $0 = true } }
        return point.refusalOfRange(response).map { .fail($0) } ?? .append(totalBytes: nil)
    }

    func receive(_ body: UnsafeRawBufferPointer) throws {
        try beginBody()
        try attempt.receive(body, on: connection, into: writer)
    }

    /// Before the first byte of a try: either behind what is held, or from the start.
    private func beginBody() throws(AttemptFailure) {
        guard isFirst, !hasBody, let response, let verdict else { return }
        hasBody = true
        try attempt.begin(verdict, response, writer)
    }

    func finish(_ outcome: TransferOutcome) {
        attempt.requestEnded(on: connection, outcome, end(of: outcome))
    }

    private func end(of outcome: TransferOutcome) -> SegmentBoard.RequestEnd {
        switch outcome.result {
        case .failure(.cancelled): return .cancelled
        case .failure(let error):
            let failure = AttemptFailure(error)
            // What the disk or the budget refuses, another connection's bytes would be refused as well.
            var isOurs = failure.remedy == .giveUp
            if case .consumerFailed = error { isOurs = true }
            return .failed(failure, isFatal: isOurs)
        case .success:
            if case .fail(let failure) = verdict {
                return .failed(failure, isFatal: failure.remedy == .giveUp && isFirst)
            }
            // An empty body never came to its first piece.
            do throws(AttemptFailure) { try beginBody() } catch { return .failed(error, isFatal: true) }
            return .complete(SegmentBoard.BodyEnd(of: response))
        }
    }
}
