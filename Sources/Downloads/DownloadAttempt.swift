import Platform
import Transfer

/// One try to bring an asset from one source: opens the partial file, asks for what is missing, writes it down, and proves the whole.
final class DownloadAttempt: @unchecked Sendable {
    // Sendable because its stages follow each other, each on its own thread and ordered by the queues between them: `begin`, then reading what is
    // held, then the head, then the body, then the end. Only `stage` is touched from outside, and has its lock.

    typealias End = DownloaderState<DownloadedFile>.AttemptEnd

    enum Report {
        case resumed(offsetBytes: Int64)
        case progress(DownloadProgress)
        /// What went over the wire, in all.
        case traffic(receivedBytes: Int64, requestCount: Int)
        case ended(End)
    }

    private enum Stage {
        case preparing(isStopped: Bool)
        case transferring(Session, TransferID)
        case over
    }

    let plan: AttemptPlan
    private let makeRoom: RoomMaker
    private let report: @Sendable (Report) -> Void
    private let released: @Sendable () -> Void
    private let stage = Locked(Stage.preparing(isStopped: false))

    private var writer: PartialWriter?
    private var verdict: ResponseVerdict?
    private var response: TransferResponse?
    private var resumedBytes: Int64 = 0
    private var rate = RateMeter()

    /// - Parameters:
    ///   - makeRoom: asked before a long body is written.
    ///   - report: told what happens; `ended` is the last.
    ///   - released: called when the partial file's name is free again, after the end or whenever a completed file's fate is sealed.
    init(
        plan: AttemptPlan, makeRoom: @escaping RoomMaker, report: @escaping @Sendable (Report) -> Void,
        released: @escaping @Sendable () -> Void
    ) {
        self.plan = plan
        self.makeRoom = makeRoom
        self.report = report
        self.released = released
    }

    // MARK: Begin and stop

    /// Opens the partial file, and sends the request once that is ready. Blocks on the disk, but never for long.
    /// - Parameters:
    ///   - reading: where held bytes are read, which may take long.
    ///   - session: which one to use, asked for when it is needed.
    func begin(
        _ location: PartialFile.Location, reading: JobQueue, session: @escaping @Sendable () -> Session
    ) {
        let writer: PartialWriter
        do throws(AttemptFailure) {
            writer = try PartialWriter(location, plan: plan)
            self.writer = writer
            try checkBudget(writer.positionBytes)
        } catch {
            return conclude(.failed(error))
        }
        guard writer.mustReadHeld else { return ask(writer, session()) }
        // Before the server is asked: it would not wait, and the session's writer threads are for all of its transfers.
        reading.enqueue { [self] in readHeld(session) }
    }

    private func readHeld(_ session: () -> Session) {
        guard let writer else { return }
        do throws(SystemError) { try writer.readHeld { isStopped } } catch {
            return conclude(.failed(AttemptFailure(error)))
        }
        ask(writer, session())
    }

    private var isStopped: Bool {
        stage.withLock { if case .preparing(isStopped: true) = $0 { true } else { false } }
    }

    private func ask(_ writer: PartialWriter, _ session: Session) {
        if isStopped { return conclude(.stopped) }
        let resumePoint = writer.resumePoint
        // A digest that is known proves what is held; anything else only the server can tell, however long ago it was fetched.
        if resumePoint.isWhole, plan.digest != nil {
            verdict = .alreadyWhole
            return conclude(.completed)
        }
        var request = TransferRequest(url: plan.url)
        request.headers = plan.headers
        request.redirects = plan.redirects
        request.bodyBudgetBytes = plan.budgetBytes
        request.offsetBytes = resumePoint.offsetBytes
        request.ifRange = resumePoint.condition
        let isStopped = stage.withLock { stage in
            if case .preparing(isStopped: true) = stage { return true }
            stage = .transferring(session, session.start(request, consumer: self))
            return false
        }
        if isStopped { conclude(.stopped) }
    }

    /// Gives up the connection; what was fetched is kept. The end is reported all the same.
    func stop() {
        stage.withLock { stage in
            switch stage {
            case .preparing: stage = .preparing(isStopped: true)
            case .transferring(let session, let id): session.cancel(id)
            case .over: break
            }
        }
    }

    /// The session keeps the budget of what it fetches itself; what was held before counts too.
    private func checkBudget(_ bytes: Int64) throws(AttemptFailure) {
        if let budget = plan.budgetBytes, bytes > budget {
            throw AttemptFailure(TransferError.overBudget(limitBytes: budget))
        }
    }

    // MARK: End

    private enum Conclusion {
        /// Every byte is here, as far as the wire can tell.
        case completed
        case failed(AttemptFailure)
        case stopped
    }

    /// Brings the partial file into its final state, and reports. Blocks on the disk.
    private func conclude(_ conclusion: Conclusion) {
        stage.withLock { $0 = .over }
        let end: End
        switch conclusion {
        case .stopped:
            leave(isWorthless: false)
            end = .stopped
        case .failed(let failure): end = failed(failure)
        case .completed: do throws(AttemptFailure) { end = try completed() } catch { end = failed(error) }
        }
        writer = nil
        report(.ended(end))
    }

    private func failed(_ failure: AttemptFailure) -> End {
        // Bytes from before this try are of use to somebody with another budget.
        let sparesBytes = failure.error.code == .overBudget && (resumedBytes > 0 || writer?.isTouched != true)
        return .failed(failure, heldBytes: leave(isWorthless: failure.discardsBytes && !sparesBytes))
    }

    @discardableResult
    private func leave(isWorthless: Bool) -> Int64 {
        let held = writer?.settle(isWorthless: isWorthless) ?? 0
        writer = nil
        released()
        return held
    }

    private func completed() throws(AttemptFailure) -> End {
        guard let writer else { throw AttemptFailure(.fileFailed, "the partial file is gone", .giveUp) }
        if case .alreadyWhole = verdict { try goOn(writer) }
        if let total = writer.totalBytes, writer.positionBytes != total {
            throw AttemptFailure(
                .transportFailure, "the connection was closed after \(writer.positionBytes) of \(total) bytes", .retry)
        }
        let isProven = writer.totalBytes != nil || plan.digest != nil || response?.framing != .close
        let (digest, record) = writer.finish()
        if let wanted = plan.digest, let digest, digest != wanted {
            // Bytes of several tries may not belong together; those of one try are the source's own fault.
            var failure = AttemptFailure(
                .digestMismatch, "the asset's SHA-256 is \(digest) where \(wanted) was asked for",
                resumedBytes > 0 ? .restart : .nextSource)
            if resumedBytes == 0 { failure.fault = .wrongBytes }
            throw failure
        }
        let file = DownloadedFile(
            partial: writer.partial, sizeBytes: writer.positionBytes, digest: digest, resumedBytes: resumedBytes,
            isProvenComplete: isProven, sourceURL: plan.url, validator: validator(record),
            suggestedName: response?.suggestedName, record: record, released: released)
        return .completed(file, sizeBytes: writer.positionBytes, digest: digest)
    }

    /// What this try's source says of the version; another one's validator stands for nothing here.
    private func validator(_ record: ResumeData?) -> String? {
        if let now = response?.entityTag ?? response?.lastModified { return now }
        return record?.url == plan.url.text ? record?.validator : nil
    }

    private func goOn(_ writer: PartialWriter) throws(AttemptFailure) {
        resumedBytes = writer.positionBytes
        report(.resumed(offsetBytes: resumedBytes))
        do throws(SystemError) { try writer.goOn() } catch { throw AttemptFailure(error) }
    }

    private func startAnew(_ writer: PartialWriter) throws(AttemptFailure) {
        guard let response else { return }
        do throws(SystemError) { try writer.startAnew(response) } catch { throw AttemptFailure(error) }
    }
}

// MARK: What the session reports

extension DownloadAttempt: TransferConsumer {
    func receive(_ response: TransferResponse) -> ResponseDisposition {
        self.response = response
        guard let writer else { return .ignoreBody }
        let verdict = writer.resumePoint.verdict(on: response)
        self.verdict = verdict
        switch verdict {
        case .append(let total), .fresh(let total):
            writer.totalBytes = total
            return .receiveBody
        case .alreadyWhole:
            writer.totalBytes = writer.positionBytes
            return .ignoreBody
        case .fail: return .ignoreBody
        }
    }

    func receive(_ body: UnsafeRawBufferPointer) throws {
        guard let writer else { return }
        try beginBody(writer)
        let (end, overflow) = writer.positionBytes.addingReportingOverflow(Int64(body.count))
        try checkBudget(overflow ? .max : end)
        if let total = writer.totalBytes, overflow || end > total {
            throw AttemptFailure(.invalidResponse, "the server sent more than the \(total) bytes it declared", .restart)
        }
        try writer.append(body)
        report(
            .progress(
                DownloadProgress(
                    receivedBytes: end, totalBytes: writer.totalBytes, resumedFromBytes: resumedBytes,
                    bytesPerSecond: rate.note(end))))
    }

    /// Before the first byte: either behind what is held, or from the start.
    private func beginBody(_ writer: PartialWriter) throws(AttemptFailure) {
        guard !writer.isTouched else { return }
        try checkRoom(writer)
        switch verdict {
        case .append: try goOn(writer)
        case .fresh: try startAnew(writer)
        case .alreadyWhole, .fail, nil: break
        }
    }

    /// What the disk can't hold is refused before its first byte, and not once the disk is full.
    private func checkRoom(_ writer: PartialWriter) throws(AttemptFailure) {
        let missingBytes: Int64?
        switch verdict {
        case .append: missingBytes = writer.missingBytes(startingAnew: false)
        case .fresh: missingBytes = writer.missingBytes(startingAnew: true)
        case .alreadyWhole, .fail, nil: missingBytes = nil
        }
        guard let missingBytes else { return }
        if let objection = makeRoom(missingBytes) { throw AttemptFailure(.noSpace, objection, .giveUp) }
        // A file system that doesn't answer now will say what is wrong when it is written to.
        guard let freeBytes = try? writer.partial.file.freeBytes(), freeBytes < missingBytes else { return }
        throw AttemptFailure(
            .noSpace,
            "\(missingBytes) bytes are to be fetched into \(writer.partial.location), and \(freeBytes) are free there; free some space",
            .giveUp)
    }

    func finish(_ outcome: TransferOutcome) {
        report(.traffic(receivedBytes: outcome.receivedBytes, requestCount: outcome.requestCount))
        FinishingQueue.shared.enqueue { self.conclude(self.conclusion(of: outcome)) }
    }

    private func conclusion(of outcome: TransferOutcome) -> Conclusion {
        switch outcome.result {
        case .failure(.cancelled): return .stopped
        case .failure(let error): return .failed(AttemptFailure(error))
        case .success:
            if case .fail(let failure) = verdict { return .failed(failure) }
            guard let writer else { return .completed }
            // An empty body never came to its first piece.
            do throws(AttemptFailure) { try beginBody(writer) } catch { return .failed(error) }
            return .completed
        }
    }
}

/// Where ended files are flushed and let go: never on a writer thread, which other transfers share.
private enum FinishingQueue {
    static let shared = JobQueue(name: "larder-finish", threads: 2)
}
