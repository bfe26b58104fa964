import Dispatch
import Platform
import Transfer

/// Carries out what `DownloaderState` decides: decisions under the lock, one indivisible step each; effects outside it, in their order.
final class DownloaderCore: Sendable {
    typealias State = DownloaderState<DownloadedFile>

    struct Shared {
        var state: State
        var mailboxes: [DownloadToken: CallerMailbox] = [:]
        var attempts: [AttemptID: (attempt: DownloadAttempt, place: PartialPlace)] = [:]
        var places = PartialPlaces()
        /// Replaced by `openSession` alone.
        var session: Session
        /// Who waits for something to be carried out, and what that is.
        var waiting: [(isOver: (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
        /// Effects that are decided but not carried out yet. One thread at a time works them off, so that their order holds.
        var outbox: [State.Action] = []
        var isDelivering = false

        /// Whether there is anything to be carried out, or anybody to be told.
        var hasWork: Bool { !outbox.isEmpty || !waiting.isEmpty }

        /// Lets effects be carried out; what nobody listens to is none.
        mutating func send(_ actions: [State.Action]) {
            for action in actions {
                if case .tell(let token, _) = action, mailboxes[token]?.listens != true { continue }
                outbox.append(action)
            }
        }

        /// What is to be carried out next, in order; nil where there is nothing, or somebody is at it.
        mutating func nextBatch() -> [State.Action]? {
            guard !isDelivering, !outbox.isEmpty else { return nil }
            isDelivering = true
            defer { outbox = [] }
            return outbox
        }
    }

    let shared: Locked<Shared>
    let store: ResumeStore
    private let credit: ByteCredit?
    private let makeRoom: RoomMaker
    private let inspect: WrongBytesHandler
    let pressure = Locked<MemoryPressureMonitor?>(nil)
    let announce: @Sendable (DownloaderEvent) -> Void
    /// Opening a partial file blocks on the disk.
    let opening = JobQueue(name: "larder-open")
    /// Held while the store is looked through, and while a file is opened anywhere but on that thread.
    private let storeInUse = WorkLock()
    /// Reading what a large one holds blocks for long.
    private let reading = JobQueue(name: "larder-read", threads: 4)

    init(
        configuration: DownloaderConfiguration, store: ResumeStore,
        pressure source: (any MemoryPressureMonitor.Source)?, credit: ByteCredit?,
        makeRoom: @escaping RoomMaker, inspect: @escaping WrongBytesHandler,
        events: (@Sendable (DownloaderEvent) -> Void)?
    ) {
        self.store = store
        self.credit = credit
        self.makeRoom = makeRoom
        self.inspect = inspect
        announce = Self.announcement(to: events)
        shared = Locked(
            Shared(
                state: State(configuration: configuration),
                session: Session(configuration: configuration.session, credit: credit)))
        watchMemory(source)
    }

    /// Like a caller's events: in order, outside every lock, and whoever blocks there holds up nobody else.
    private static func announcement(
        to events: (@Sendable (DownloaderEvent) -> Void)?
    ) -> @Sendable (DownloaderEvent) -> Void {
        guard let events else { return { _ in } }
        let queue = DispatchQueue(label: "larder.downloader")
        return { event in queue.async { events(event) } }
    }

    var statistics: DownloadStatistics { shared.withLock { $0.state.statistics } }

    /// Reads a complete file where blocking is fine.
    func read(_ file: DownloadedFile, limitBytes: Int) async throws(DownloadError) -> [UInt8] {
        try await opening.attempt { () throws(DownloadError) in try file.bytes(limitBytes: limitBytes) }
    }

    /// Does something with the store where blocking is fine, and where no partial file is being opened meanwhile.
    func store<Success: Sendable>(
        _ body: @escaping @Sendable (ResumeStore) throws(DownloadError) -> Success
    ) async throws(DownloadError) -> Success {
        try await opening.attempt { [self] () throws(DownloadError) in try withStore(body) }
    }

    /// Does something with the store while no partial file is being opened: on the thread that opens them, and while no other one does.
    func withStore<Success: Sendable>(
        _ body: (ResumeStore) throws(DownloadError) -> Success
    ) throws(DownloadError) -> Success {
        try storeInUse.perform { () throws(DownloadError) in try body(store) }
    }

    // MARK: What happens

    func request(_ request: DownloadRequest, _ mailbox: CallerMailbox) -> DownloadToken {
        let token = shared.withLock { shared in
            let (token, actions) = shared.state.request(request)
            shared.mailboxes[token] = mailbox
            shared.send(actions)
            return token
        }
        deliver()
        return token
    }

    func cancel(_ token: DownloadToken) { decide { $0.state.cancel(token) } }

    /// - Parameter mayBegin: whether this thread may open the partial file of a download that starts now.
    func decide(mayBegin: Bool = false, _ step: (inout Shared) -> [State.Action]) {
        let hasWork = shared.withLock { shared in
            let actions = step(&shared)
            shared.send(actions)
            return shared.hasWork
        }
        if hasWork { deliver(mayBegin: mayBegin) }
    }

    private func handle(_ report: DownloadAttempt.Report, of plan: AttemptPlan, at place: PartialPlace) {
        decide(mayBegin: report.mayBeginNext) { shared in
            switch report {
            case .resumed(let offset):
                return shared.state.attemptResumed(plan.attempt, of: plan.download, offsetBytes: offset)
            case .progress(let progress, let source):
                return shared.state.attemptProgressed(plan.attempt, of: plan.download, progress, from: source)
            case .traffic(let receivedBytes, let requestCount):
                shared.state.note(receivedBytes: receivedBytes, requestCount: requestCount)
                return []
            case .wantsConnections(let count, let number):
                return shared.state.attemptWants(plan.attempt, of: plan.download, connections: count, number: number)
            case .wantsEnd: return shared.state.attemptWantsEnd(plan.attempt, of: plan.download)
            case .connectionEnded(let id, let failure): return shared.state.connectionEnded(id, failure)
            case .ended(let end, _):
                if case .completed(let file, _, _) = end { shared.places.fill(place, with: file, for: plan) }
                shared.attempts[plan.attempt] = nil
                return shared.state.attemptEnded(plan.attempt, of: plan.download, end)
            }
        }
    }

    // MARK: What is done

    private func deliver(mayBegin: Bool = false) {
        var own: JobQueue.Job?
        var next = shared.withLock { $0.nextBatch() }
        while let batch = next {
            var beginnings: [JobQueue.Job] = []
            for action in batch { perform(action, &beginnings) }
            next = shared.withLock { shared in
                shared.isDelivering = false
                return shared.nextBatch()
            }
            if mayBegin, own == nil { own = beginnings.popLast() }
            beginnings.forEach(opening.enqueue)
        }
        tellWaiting()
        // The way to the other thread costs more than what is done there. One, and behind all else: whatever waits must not wait for the disk.
        if let own { beginHere(own) }
    }

    /// Opens a partial file on this thread, unless the store is being looked through: whoever does that takes every file's lock in turn.
    private func beginHere(_ beginning: @escaping JobQueue.Job) {
        if !storeInUse.performIfFree(beginning) { opening.enqueue(beginning) }
    }

    /// - Parameter beginnings: gets what blocks on the disk.
    private func perform(_ action: State.Action, _ beginnings: inout [JobQueue.Job]) {
        switch action {
        case .tell(let token, let event): shared.withLock { $0.mailboxes[token] }?.tell(event)
        case .answer(let token, let result): shared.withLock { $0.mailboxes.removeValue(forKey: token) }?.answer(result)
        case .keep(let file): file.keep()
        case .stop(let attempt): stop(attempt)
        case .open(let connection, let attempt, let source, let isForEnd):
            shared.withLock { $0.attempts[attempt] }?.attempt.open(connection, to: source, isForEnd: isForEnd)
        case .close(let connection, let attempt): shared.withLock { $0.attempts[attempt] }?.attempt.close(connection)
        case .setAlarm(let download, let alarm, let delay):
            Task { [weak self] in
                try? await Task.sleep(for: delay)
                self?.decide { $0.state.wake(download, alarm: alarm) }
            }
        case .start(let plan): if let beginning = start(plan) { beginnings.append(beginning) }
        case .setRateLimit(let limit): session.setRateLimit(bytesPerSecond: limit)
        case .closeSession: closeSession()
        case .openSession(let configuration):
            var next = Session(configuration: configuration, credit: credit)
            // The old one is let go outside the lock.
            shared.withLock { swap(&$0.session, &next) }
        case .announce(let event): announce(event)
        }
    }

    var session: Session { shared.withLock { $0.session } }

    /// Whatever the session carries ends with it; the tries report that themselves.
    private func closeSession() {
        let session = session
        Task { [self] in
            await session.invalidate()
            decide { $0.state.sessionClosed() }
        }
    }

    /// Starts a try.
    /// - Returns: what is to be done next, where that may block; nil where it has to wait for its place.
    private func start(_ plan: AttemptPlan) -> JobQueue.Job? {
        let location: PartialFile.Location
        let place: PartialPlace
        do throws(DownloadError) {
            if let chosen = plan.partialFile { location = chosen } else { location = try store.location(of: plan) }
            do throws(SystemError) { place = try location.place } catch { throw DownloadError(error) }
        } catch {
            decide {
                $0.state.attemptEnded(
                    plan.attempt, of: plan.download, .failed(AttemptFailure(error, .giveUp), heldBytes: 0))
            }
            return nil
        }
        let attempt = DownloadAttempt(
            plan: plan, credit: credit, makeRoom: makeRoom, inspect: inspect,
            report: { [self] report in handle(report, of: plan, at: place) },
            lease: PlaceLease(ending: { [self] in leave(place) }, later: { [self] in opening.enqueue($0) }))
        shared.withLock { $0.attempts[plan.attempt] = (attempt, place) }
        return enter(place, with: attempt, location)
    }

    private func enter(
        _ place: PartialPlace, with attempt: DownloadAttempt, _ location: PartialFile.Location
    ) -> JobQueue.Job? {
        let admission = shared.withLock { shared in
            shared.places.enter(place, for: attempt.plan) { [self] in
                if let beginning = enter(place, with: attempt, location) { opening.enqueue(beginning) }
            }
        }
        switch admission {
        case .free: return { [self] in attempt.begin(location, reading: reading) { [self] in session } }
        case .complete(let file):
            let end = DownloadAttempt.End.completed(file, sizeBytes: file.sizeBytes, digest: file.digest)
            handle(.ended(end), of: attempt.plan, at: place)
        case .mustWait: break
        }
        return nil
    }

    private func stop(_ id: AttemptID) {
        let found = shared.withLock { shared in
            shared.attempts[id].map {
                (attempt: $0.attempt, place: $0.place, waited: shared.places.abandon($0.place, id))
            }
        }
        guard let found else { return }
        // Who waits for another one's place has nothing to bring to an end.
        if found.waited {
            handle(.ended(.stopped), of: found.attempt.plan, at: found.place)
        } else {
            found.attempt.stop()
        }
    }

    private func leave(_ place: PartialPlace) {
        for retry in shared.withLock({ $0.places.leave(place) }) { retry() }
    }
}
