import Platform

/// One exchange's end of the pipeline: pieces go in on the loop thread and come out at the consumer on a writer thread.
final class BodyChannel: Sendable {
    private let consumer: any TransferConsumer
    private let pipeline: BodyPipeline
    private let writer: JobQueue
    private let failure = Locked<(any Error)?>(nil)
    private let failed: @Sendable () -> Void

    /// - Parameter failed: called on a writer thread when the consumer can't take the body.
    init(
        consumer: any TransferConsumer, pipeline: BodyPipeline, id: TransferID, failed: @escaping @Sendable () -> Void
    ) {
        self.consumer = consumer
        self.pipeline = pipeline
        self.failed = failed
        writer = pipeline.writer(for: id)
    }

    func judge(_ response: TransferResponse) -> ResponseDisposition { consumer.receive(response) }

    func send(_ piece: BodyPiece) {
        pipeline.didQueue(piece)
        writer.enqueue { [self] in handOver(piece) }
    }

    private func handOver(_ piece: BodyPiece) {
        if failure.withLock({ $0 == nil }) {
            do { try consumer.receive(piece.bytes) } catch {
                failure.withLock { $0 = error }
                failed()
            }
        }
        pipeline.didWrite(piece)
    }

    /// Hands the last piece and the end over, behind all others. A consumer that failed is told of its own failure, whatever the wire said.
    func finish(
        _ result: Result<TransferResponse, TransferError>, with last: BodyPiece?, receivedBytes: Int64,
        requestCount: Int
    ) {
        if let last { pipeline.didQueue(last) }
        writer.enqueue { [self] in
            if let last { handOver(last) }
            let failure = failure.withLock { $0 }
            consumer.finish(
                TransferOutcome(
                    result: failure.map { .failure(.consumerFailed($0)) } ?? result,
                    receivedBytes: receivedBytes, requestCount: requestCount))
        }
    }
}
