import Glibc
import Platform
import Transfer

/// One try to bring an asset from one source: opens the partial file, asks for what is missing, writes it down, and proves the whole.
final class DownloadAttempt: @unchecked Sendable {
    // Sendable because its stages follow each other, each on its own thread and ordered by the queues between them: `begin`, then the head, then
    // the body, then the end. Only `stage` is touched from outside, and has its lock.

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
    private let report: @Sendable (Report) -> Void
    private let released: @Sendable () -> Void
    private let stage = Locked(Stage.preparing(isStopped: false))

    private var partial: PartialFile?
    private var resumePoint = ResumePoint()
    private var verdict: ResponseVerdict?
    private var response: TransferResponse?

    /// Where the next byte goes: all before it are held.
    private var positionBytes: Int64 = 0
    private var totalBytes: Int64?
    private var resumedBytes: Int64 = 0
    private var record: ResumeData?
    private var hasRecordOnDisk = false
    private var lastCheckpoint = ContinuousClock.now
    private let hasher: SHA256?
    private var bodyHasBegun = false
    private var rate = RateMeter()

    /// A download that is this small is never paused: its record would cost more than fetching it again.
    private static let smallBytes: Int64 = 256 << 10
    /// Bytes older than this are flushed, and the record says so: what a power loss may cost.
    private static let checkpointInterval: Duration = .seconds(10)

    /// - Parameters:
    ///   - report: told what happens; `ended` is the last.
    ///   - released: called when the partial file's name is free again, after the end or whenever a completed file's fate is sealed.
    init(plan: AttemptPlan, report: @escaping @Sendable (Report) -> Void, released: @escaping @Sendable () -> Void) {
        self.plan = plan
        self.report = report
        self.released = released
        hasher = plan.takesDigest ? SHA256() : nil
    }

    // MARK: Begin and stop

    /// Opens the partial file and sends the request. Blocks on the disk.
    func begin(_ location: PartialFile.Location, session: Session) {
        do throws(AttemptFailure) {
            try open(location)
            if let total = totalBytes, positionBytes == total, total > 0 || record != nil {
                verdict = .alreadyWhole
                return conclude(.completed)
            }
        } catch {
            return conclude(.failed(error))
        }
        var request = TransferRequest(url: plan.url)
        request.headers = plan.headers
        request.redirects = plan.redirects
        request.bodyBudgetBytes = plan.budgetBytes
        request.offsetBytes = positionBytes
        // Another source's validator means nothing here: there the digest proves the result.
        if resumePoint.record?.url == plan.url.text { request.ifRange = resumePoint.record?.validator }
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

    private func open(_ location: PartialFile.Location) throws(AttemptFailure) {
        do {
            let partial = try PartialFile(location)
            self.partial = partial
            let fileBytes = try partial.file.status().sizeBytes
            if let record = partial.readRecord() {
                hasRecordOnDisk = true
                if isUsable(record) {
                    let held = record.believableBytes(fileBytes: fileBytes, bootID: BootIdentity.current)
                    if held <= record.totalBytes ?? plan.expectedBytes ?? .max {
                        positionBytes = held
                        self.record = record
                    }
                }
            }
            if positionBytes < fileBytes { try partial.file.truncate(to: positionBytes) }
        } catch let error as SystemError {
            throw AttemptFailure(error)
        } catch {
            throw AttemptFailure(error as? DownloadError ?? DownloadError(.fileFailed, "\(error)"), .giveUp)
        }
        totalBytes = record?.totalBytes ?? plan.expectedBytes
        resumePoint = ResumePoint(heldBytes: positionBytes, record: record, expectedBytes: plan.expectedBytes)
    }

    /// Whether going on with a record's bytes can only give the asset or be found out: its validator will tell, or the digest.
    private func isUsable(_ record: ResumeData) -> Bool {
        if let digest = plan.digest { return record.digest == digest }
        return record.url == plan.url.text && record.validator != nil
    }

    // MARK: Write

    private func beginBody(_ partial: PartialFile) throws(AttemptFailure) {
        bodyHasBegun = true
        lastCheckpoint = .now
        do {
            switch verdict {
            case .append:
                resumedBytes = positionBytes
                report(.resumed(offsetBytes: positionBytes))
                try hashHeldBytes(partial)
            case .fresh:
                // The old record first: it must never stand beside bytes of another version.
                if hasRecordOnDisk { try partial.removeRecord() }
                hasRecordOnDisk = false
                try partial.file.truncate(to: 0)
                positionBytes = 0
                hasher?.reset()
                record = response.map(freshRecord)
                if totalBytes ?? .max > Self.smallBytes { try writeRecord(partial) }
            case .alreadyWhole, .fail, nil: break
            }
        } catch {
            throw AttemptFailure(error)
        }
    }

    private func hashHeldBytes(_ partial: PartialFile) throws(SystemError) {
        guard let hasher else { return }
        hasher.reset()
        let count = try hasher.update(from: partial.file, lengthBytes: positionBytes)
        guard count == positionBytes else {
            throw SystemError(code: EIO, operation: "read", subject: partial.file.name)
        }
    }

    private func freshRecord(_ response: TransferResponse) -> ResumeData {
        ResumeData(
            url: plan.url.text, finalURL: response.url.text, entityTag: response.strongEntityTag,
            lastModified: response.strongLastModified, totalBytes: totalBytes, contentCoding: response.contentCoding,
            digest: plan.digest, ranges: [0..<0], flushedBytes: 0, bootID: BootIdentity.current)
    }

    /// Writes the record that lets a later try go on, where one could.
    private func writeRecord(_ partial: PartialFile, flushedBytes: Int64? = nil) throws(SystemError) {
        guard var record, record.validator != nil || record.digest != nil else { return }
        record.ranges = [0..<positionBytes]
        record.totalBytes = totalBytes
        record.flushedBytes = flushedBytes ?? min(record.flushedBytes, positionBytes)
        record.bootID = BootIdentity.current
        try partial.writeRecord(record)
        self.record = record
        hasRecordOnDisk = true
    }

    /// Flushes what is held, and lets the record say so: in this order, so that it never claims what a power loss took.
    private func checkpoint(_ partial: PartialFile) throws(SystemError) {
        try partial.file.synchronizeData()
        try writeRecord(partial, flushedBytes: positionBytes)
        lastCheckpoint = .now
    }

    private func progress() -> DownloadProgress {
        DownloadProgress(
            receivedBytes: positionBytes, totalBytes: totalBytes, resumedFromBytes: resumedBytes,
            bytesPerSecond: bodyHasBegun ? rate.note(positionBytes) : nil)
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
        var end: End
        switch conclusion {
        case .stopped: end = .stopped
        case .failed(let failure): end = .failed(failure, heldBytes: positionBytes)
        case .completed:
            do throws(AttemptFailure) { end = try completed() } catch { end = .failed(error, heldBytes: positionBytes) }
        }
        if case .failed(let failure, _) = end, failure.discardsBytes {
            try? partial?.discard()
        } else if case .completed = end {
        } else {
            end = kept(end)
        }
        var isCompleted = false
        if case .completed = end { isCompleted = true }
        // The lock goes before the report: what follows from that may be another try with the same file.
        if !isCompleted { partial?.file.unlock() }
        partial = nil
        if !isCompleted { released() }
        report(.ended(end))
    }

    /// Keeps the bytes of an unfinished try where they can be of use.
    private func kept(_ end: End) -> End {
        guard let partial, bodyHasBegun || record != nil || !hasRecordOnDisk else { return end }
        guard positionBytes > 0, let record, record.validator != nil || record.digest != nil else {
            try? partial.discard()
            return end
        }
        // A disk that is full, say, doesn't take a record either; the one that is there still tells the truth.
        if bodyHasBegun { try? checkpoint(partial) }
        return end
    }

    private func completed() throws(AttemptFailure) -> End {
        guard let partial else { throw AttemptFailure(.fileFailed, "the partial file is gone", .giveUp) }
        if case .alreadyWhole = verdict {
            resumedBytes = positionBytes
            report(.resumed(offsetBytes: positionBytes))
            do throws(SystemError) { try hashHeldBytes(partial) } catch { throw AttemptFailure(error) }
        }
        if let totalBytes, positionBytes != totalBytes {
            throw AttemptFailure(
                .transportFailure, "the connection was closed after \(positionBytes) of \(totalBytes) bytes", .retry)
        }
        let digest = hasher?.finalize()
        if let wanted = plan.digest, let digest, digest != wanted {
            // Bytes of several tries may not belong together; those of one try are the source's own fault.
            throw AttemptFailure(
                .digestMismatch, "the asset's SHA-256 is \(digest) where \(wanted) was asked for",
                resumedBytes > 0 ? .restart : .nextSource)
        }
        let isProven = totalBytes != nil || plan.digest != nil || response?.framing != .close
        if hasRecordOnDisk { try? writeRecord(partial) }
        return .completed(
            DownloadedFile(
                partial: partial, sizeBytes: positionBytes, digest: digest, resumedBytes: resumedBytes,
                isProvenComplete: isProven,
                validator: response?.entityTag ?? response?.lastModified ?? record?.validator,
                suggestedName: response?.suggestedName, released: released),
            sizeBytes: positionBytes, digest: digest)
    }
}

// MARK: What the session reports

extension DownloadAttempt: TransferConsumer {
    func receive(_ response: TransferResponse) -> ResponseDisposition {
        self.response = response
        let verdict = resumePoint.verdict(on: response)
        self.verdict = verdict
        switch verdict {
        case .append(let total), .fresh(let total):
            totalBytes = total
            return .receiveBody
        case .alreadyWhole, .fail: return .ignoreBody
        }
    }

    func receive(_ body: UnsafeRawBufferPointer) throws {
        guard let partial else { return }
        if !bodyHasBegun { try beginBody(partial) }
        let (end, overflow) = positionBytes.addingReportingOverflow(Int64(body.count))
        // The session keeps the budget of what it fetches itself; what was held before counts too.
        if let budget = plan.budgetBytes, overflow || end > budget {
            throw AttemptFailure(TransferError.overBudget(limitBytes: budget))
        }
        if let totalBytes, end > totalBytes {
            throw AttemptFailure(
                .invalidResponse, "the server sent more than the \(totalBytes) bytes it declared", .restart)
        }
        hasher?.update(body)
        try partial.file.write(body, at: positionBytes)
        positionBytes = end
        if ContinuousClock.now - lastCheckpoint >= Self.checkpointInterval { try checkpoint(partial) }
        report(.progress(progress()))
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
            // An empty body never came to its first piece.
            if !bodyHasBegun, let partial, case .fresh = verdict {
                do throws(AttemptFailure) { try beginBody(partial) } catch { return .failed(error) }
            }
            return .completed
        }
    }
}

/// Where completed files are proved and paused ones flushed: never on a writer thread, which other transfers share.
private enum FinishingQueue {
    static let shared = JobQueue(name: "larder-finish", threads: 2)
}
