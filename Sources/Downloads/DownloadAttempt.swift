import Platform
import Transfer

/// One try to bring an asset: opens the partial file, asks for what is missing, writes it down, and proves the whole. It begins with one source
/// and one connection; `SegmentBoard` decides about more.
final class DownloadAttempt: @unchecked Sendable {
    // Sendable because its stages follow each other, each on its own thread and ordered by the queues between them: `begin`, then reading what is
    // held, then the first reply, then all others. What several connections touch has its lock.

    typealias End = DownloaderState<DownloadedFile>.AttemptEnd

    enum Report {
        case resumed(offsetBytes: Int64)
        case progress(DownloadProgress, from: TransferURL)
        /// What went over the wire, in all.
        case traffic(receivedBytes: Int64, requestCount: Int)
        /// So many further connections would be of use.
        case wantsConnections(Int, number: UInt64)
        /// A further connection to the try's own source would be of use, for the asset's end.
        case wantsEnd
        /// A further connection is gone.
        case connectionEnded(ConnectionID, AttemptFailure?)
        /// `mayBeginNext`: on a thread that has just been at the disk, and may open the next file as well.
        case ended(End, mayBeginNext: Bool = false)

        var mayBeginNext: Bool { if case .ended(_, mayBeginNext: true) = self { true } else { false } }
    }

    struct Stage {
        /// Whether it was told to stop.
        var isStopped = false
        /// Nil before the first request, and after the end. Changed where it is, since each piece of a body does so.
        var transferring: Transferring?
    }

    struct Transferring {
        let session: Session
        let writer: PartialWriter
        var board: SegmentBoard
        var requests: [ConnectionID: TransferID] = [:]
        var rate = RateMeter()
    }

    let plan: AttemptPlan
    /// What all may receive together; nil: any number of bytes.
    let credit: ByteCredit?
    /// The first request's part in it.
    let creditShare: ByteCredit.Share?
    let makeRoom: RoomMaker
    let inspect: WrongBytesHandler
    let report: @Sendable (Report) -> Void
    let lease: PlaceLease
    let stage = Locked(Stage())

    /// When the first request was sent: all of them share the deadline of the whole.
    private var began: SuspendingClock.Instant?
    /// What the first reply said, once it is there.
    var response: TransferResponse?
    /// How long what is at the URL is, where only a part of it was asked for and a reply said so.
    let wholeBytes = Locked<Int64?>(nil)
    /// Whether a range came from elsewhere than the first reply, by a redirect: what a tag says there is another matter.
    let isDiverted = Locked(false)

    /// - Parameters:
    ///   - makeRoom: asked before a long body is written.
    ///   - inspect: shown what has another digest than the one asked for.
    ///   - report: told what happens; `ended` is the last.
    ///   - lease: ended when the partial file's name is free again, after the end or whenever a completed file's fate is sealed.
    init(
        plan: AttemptPlan, credit: ByteCredit?, makeRoom: @escaping RoomMaker, inspect: @escaping WrongBytesHandler,
        report: @escaping @Sendable (Report) -> Void, lease: PlaceLease
    ) {
        self.plan = plan
        self.credit = credit
        creditShare = credit?.makeShare()
        self.makeRoom = makeRoom
        self.inspect = inspect
        self.report = report
        self.lease = lease
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
        do throws(AttemptFailure) { writer = try PartialWriter(location, plan: plan) } catch {
            return concludeUnopened(error)
        }
        do throws(AttemptFailure) { try checkBudget(writer.found.countBytes) } catch {
            return concludeUnasked(.failed(error), writer)
        }
        let heldBytes = writer.found.contiguousBytes
        guard let digest = writer.digest, heldBytes > 0 else { return ask(writer, session()) }
        // Before the server is asked: it would not wait, and the session's writer threads are for all of its transfers.
        reading.enqueue { [self] in
            do throws(SystemError) { try digest.readHeld(heldBytes) { isStopped } } catch {
                return concludeUnasked(.failed(AttemptFailure(error)), writer)
            }
            ask(writer, session())
        }
    }

    private var isStopped: Bool { stage.withLock { $0.isStopped } }

    private func ask(_ writer: PartialWriter, _ session: Session) {
        if isStopped { return concludeUnasked(.stopped, writer) }
        let point = writer.resumePoint
        var board = SegmentBoard(plan.url, held: writer.found, totalBytes: writer.knownTotalBytes, policy: plan.split)
        // A digest that is known proves what is held; anything else only the server can tell, however long ago it was fetched.
        if point.isWhole, plan.digest != nil { return confirmWhole(board, writer) }
        board.open()
        began = .now
        let request = firstRequest(at: point)
        let exchange = SegmentExchange(of: self, writer, .first, at: point, isFirst: true)
        let isStopped = stage.withLock { stage in
            if stage.isStopped { return true }
            var transferring = Transferring(session: session, writer: writer, board: board)
            transferring.requests[.first] = session.start(request, consumer: exchange)
            stage.transferring = transferring
            return false
        }
        if isStopped { concludeUnasked(.stopped, writer) }
    }

    private func confirmWhole(_ board: SegmentBoard, _ writer: PartialWriter) {
        var board = board
        board.goOn(totalBytes: writer.found.contiguousBytes, maySplit: false)
        report(.resumed(offsetBytes: board.resumedBytes))
        do throws(SystemError) { try writer.goOn(totalBytes: board.plan.totalBytes) } catch {
            return concludeUnasked(.failed(AttemptFailure(error)), writer)
        }
        conclude(.completed, board, writer)
    }

    private func firstRequest(at point: ResumePoint) -> TransferRequest {
        var request = request(plan.url, at: point)
        if let condition = plan.condition { request.headers.append(condition.fieldName, condition.validator) }
        ask(&request, for: point.offsetBytes, upTo: point.endBytes)
        request.creditShare = creditShare
        return request
    }

    /// Positions in the asset, which may be a part of what is there.
    private func ask(_ request: inout TransferRequest, for offsetBytes: Int64, upTo endBytes: Int64?) {
        // A part ends where no file is too long to; positions in it lie before that.
        let start = plan.part?.lowerBound ?? 0
        request.offsetBytes = start &+ offsetBytes
        request.endBytes = endBytes.map { start &+ $0 } ?? plan.part?.upperBound
    }

    private func request(_ url: TransferURL, at point: ResumePoint) -> TransferRequest {
        var request = TransferRequest(url: url)
        request.headers = plan.headers
        request.redirects = plan.redirects
        request.bodyBudgetBytes = plan.budgetBytes
        request.ifRange = point.condition
        request.began = began
        return request
    }

    /// Gives up the connections; what was fetched is kept. The end is reported all the same.
    func stop() {
        let steps = stage.withLock { stage -> [SegmentBoard.Step] in
            stage.isStopped = true
            return stage.transferring?.decide(for: self) { $0.stop() } ?? []
        }
        carryOut(steps)
    }

    // MARK: Further connections

    /// Opens a further connection to one of the sources, if there still is anything for it to do.
    /// - Parameter isForEnd: whether that is the asset's end alone.
    func open(_ id: ConnectionID, to source: TransferURL, isForEnd: Bool) {
        decide { board in board.open(id, to: source, isForEnd: isForEnd) }
    }

    /// Gives a further connection up.
    func close(_ id: ConnectionID) {
        decide { board in board.close(id) }
    }

    func decide(_ step: (inout SegmentBoard) -> [SegmentBoard.Step]) {
        carryOut(stage.withLock { stage in stage.transferring?.decide(for: self, step) ?? [] })
    }

    /// Asks for a range; nil where nothing that the source says could show that it has the same version.
    fileprivate func start(
        _ id: ConnectionID, _ url: TransferURL, _ range: Range<Int64>, in session: Session, _ writer: PartialWriter
    ) -> TransferID? {
        let point = writer.resumePoint(at: range.lowerBound, from: url)
        guard point.trust != .none else { return nil }
        var request = request(url, at: point)
        ask(&request, for: range.lowerBound, upTo: range.upperBound)
        request.hasOwnConnection = id != .first
        return session.start(
            request, consumer: SegmentExchange(of: self, writer, id, at: point, isFirst: false))
    }

    fileprivate var untrusted: AttemptFailure {
        AttemptFailure(.changedWhileDownloading, "nothing tells whether the source has the same version", .nextSource)
    }

    func carryOut(_ steps: [SegmentBoard.Step]) {
        for step in steps {
            switch step {
            case .ask, .cut: break
            case .want(let count, let number): report(.wantsConnections(count, number: number))
            case .wantEnd: report(.wantsEnd)
            case .review(let delay):
                Task { [weak self] in
                    try? await Task.sleep(for: delay)
                    self?.decide { board in board.review() }
                }
            case .left(let id, let failure): report(.connectionEnded(id, failure))
            case .end: end()
            }
        }
    }

    // MARK: End

    /// Nothing is under way any more.
    private func end() {
        let last = stage.withLock { stage -> (SegmentBoard, PartialWriter)? in
            defer { stage.transferring = nil }
            return stage.transferring.map { ($0.board, $0.writer) }
        }
        guard let (board, writer) = last else { return }
        let conclude = { @Sendable in
            FinishingQueue.shared.enqueue { [self] in self.conclude(board.outcome, board, writer) }
        }
        guard case .completed = board.outcome else { return conclude() }
        // A small file has nothing to wait for: the way to another thread would cost more than its end.
        if writer.endsAtOnce(sizeBytes: board.plan.held.contiguousBytes) {
            return self.conclude(board.outcome, board, writer, mayBeginNext: true)
        }
        if let digest = writer.digest { digest.whenEven(conclude) } else { conclude() }
    }
}

extension DownloadAttempt.Transferring {
    /// Decides, and sends out or calls back what was decided: the session only takes a note of that, so the order is that of the decisions.
    mutating func decide(
        for attempt: DownloadAttempt, _ step: (inout SegmentBoard) -> [SegmentBoard.Step]
    ) -> [SegmentBoard.Step] {
        var pending = step(&board)
        var done: [SegmentBoard.Step] = []
        while !pending.isEmpty {
            let next = pending.removeFirst()
            switch next {
            case .ask(let id, let url, let range):
                if let request = attempt.start(id, url, range, in: session, writer) {
                    requests[id] = request
                } else {
                    pending += board.ended(id, .failed(attempt.untrusted, isFatal: false))
                }
            case .cut(let id): if let request = requests[id] { session.cancel(request) }
            case .want, .wantEnd, .review, .left, .end: done.append(next)
            }
        }
        return done
    }
}

/// Where ended files are flushed and let go: not on a writer thread, which other transfers share, and which flushes no more than what it has just
/// been writing, from time to time.
private enum FinishingQueue {
    static let shared = JobQueue(name: "larder-finish", threads: 2)
}
