import Platform
import Transfer

/// Every decision of a `Downloader`, as a value: what happens goes in, what is to be done comes out, and nothing else is touched.
///
/// `Asset` is what a completed download hands to its callers.
struct DownloaderState<Asset> {
    private(set) var configuration: DownloaderConfiguration
    private var downloads: [DownloadID: Download] = [:]
    private var byDigest: [SHA256Digest: DownloadID] = [:]
    private var bySource: [SourceKey: DownloadID] = [:]
    private var byToken: [DownloadToken: DownloadID] = [:]
    private var queue: TransferQueue
    private var lastNumber: UInt64 = 0
    private var isShutDown = false
    /// What was done so far.
    private(set) var statistics = DownloadStatistics()
    private var generator: any RandomNumberGenerator

    /// What is to be done, in this order, once the state is unlocked.
    enum Action {
        case start(AttemptPlan)
        case stop(AttemptID)
        /// `wake` is to be called with these after the delay.
        case setAlarm(DownloadID, UInt64, after: Duration)
        case tell(DownloadToken, DownloadEvent)
        case answer(DownloadToken, Result<Asset, DownloadError>)
        /// The asset is complete but everybody has left: it is not thrown away.
        case keep(Asset)
    }

    /// How a try ended.
    enum AttemptEnd {
        case completed(Asset, sizeBytes: Int64, digest: SHA256Digest?)
        case failed(AttemptFailure, heldBytes: Int64)
        /// It was stopped, and what it had is kept.
        case stopped
    }

    init(
        configuration: DownloaderConfiguration,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.configuration = configuration
        self.generator = generator
        queue = TransferQueue(
            maximum: configuration.maximumTransfers, maximumPerHost: configuration.maximumTransfersPerHost)
    }

    /// How many downloads are known; finished and paused ones are not.
    var downloadCount: Int { downloads.count }

    // MARK: Callers

    /// A caller asks: the first one starts a download, later ones join it.
    mutating func request(_ request: DownloadRequest) -> (DownloadToken, [Action]) {
        let token = DownloadToken(number: nextNumber())
        if isShutDown { return (token, [.answer(token, .failure(.cancelled))]) }
        let caller = Download.Caller(token: token, request: request)
        let key = SourceKey(url: request.urls[0], headers: request.headers)
        if let id = joinable(request, key) { return (token, join(id, caller, request)) }

        var download = Download(
            id: DownloadID(number: nextNumber()), request: request, key: key, sources: SourceRotation(request.urls))
        download.callers = [caller]
        downloads[download.id] = download
        byToken[token] = download.id
        bySource[key] = bySource[key] ?? download.id
        if let digest = request.digest { byDigest[digest] = download.id }
        enqueue(download.id)
        return (token, startQueued())
    }

    /// The download that would bring this very asset. Two digests are two assets, whatever the URL.
    private func joinable(_ request: DownloadRequest, _ key: SourceKey) -> DownloadID? {
        if let digest = request.digest, let id = byDigest[digest] { return id }
        guard let id = bySource[key], let download = downloads[id] else { return nil }
        guard let wanted = request.digest else { return id }
        guard let running = download.digest else { return configuration.takesDigests ? id : nil }
        return wanted == running ? id : nil
    }

    private mutating func join(_ id: DownloadID, _ caller: Download.Caller, _ request: DownloadRequest) -> [Action] {
        guard var download = downloads[id] else { return [] }
        download.callers.append(caller)
        // Other URLs are mirrors only where a digest says that they bring the same; and each with its own headers only.
        if request.digest != nil, request.digest == download.digest, request.headers == download.request.headers {
            download.sources.add(request.urls)
        }
        downloads[id] = download
        byToken[caller.token] = id
        if download.phase == .queued { enqueue(id) }
        return [.tell(caller.token, .coalesced), .tell(caller.token, .progress(download.progress))] + startQueued()
    }

    /// A caller leaves. It is answered at once; the last one to leave pauses the download.
    mutating func cancel(_ token: DownloadToken) -> [Action] {
        guard byToken[token] != nil else { return [] }
        return [.answer(token, .failure(.cancelled))] + drop(token)
    }

    /// Forgets a caller who has its answer, and stops what nobody wants any more.
    private mutating func drop(_ token: DownloadToken) -> [Action] {
        guard let id = byToken.removeValue(forKey: token), var download = downloads[id] else { return [] }
        download.callers.removeAll { $0.token == token }
        downloads[id] = download
        guard download.callers.isEmpty else {
            if download.phase == .queued { enqueue(id) }
            return []
        }
        switch download.phase {
        case .queued, .resting:
            forget(id)
            return startQueued()
        case .running(let attempt, isStopping: false):
            downloads[id]?.phase = .running(attempt, isStopping: true)
            return [.stop(attempt)]
        case .running(_, isStopping: true): return []
        }
    }

    // MARK: Tries

    /// A try goes on where an earlier one had come to.
    mutating func attemptResumed(_ attempt: AttemptID, of id: DownloadID, offsetBytes: Int64) -> [Action] {
        guard isCurrent(attempt, id), let download = downloads[id] else { return [] }
        // What this very download fetched before it lost a connection was not saved by an earlier one.
        if !download.hasFetched { statistics.resumedBytes += offsetBytes }
        downloads[id]?.progress.resumedFromBytes = offsetBytes
        downloads[id]?.progress.receivedBytes = offsetBytes
        return download.callers.map { .tell($0.token, .resumed(offsetBytes: offsetBytes)) }
    }

    /// Bytes of a try are on the disk.
    mutating func attemptProgressed(_ attempt: AttemptID, of id: DownloadID, _ progress: DownloadProgress) -> [Action] {
        guard isCurrent(attempt, id), var download = downloads[id] else { return [] }
        download.hasFetched = download.hasFetched || progress.receivedBytes > progress.resumedFromBytes
        download.progress = progress
        download.sources.note(heldBytes: progress.receivedBytes)
        downloads[id] = download
        var actions: [Action] = []
        for caller in download.callers {
            if let budget = caller.budgetBytes, max(progress.receivedBytes, progress.totalBytes ?? 0) > budget {
                let error = DownloadError(.overBudget, "the asset is over the \(budget) bytes allowed for it")
                actions += [.answer(caller.token, .failure(error))] + drop(caller.token)
            } else {
                actions.append(.tell(caller.token, .progress(progress)))
            }
        }
        return actions
    }

    /// A try is over.
    mutating func attemptEnded(_ attempt: AttemptID, of id: DownloadID, _ end: AttemptEnd) -> [Action] {
        guard isCurrent(attempt, id), let download = downloads[id] else {
            // Nobody waits for what a replaced try brings, but it is there.
            if case .completed(let asset, _, _) = end { return [.keep(asset)] }
            return []
        }
        queue.release(id)
        switch end {
        case .completed(let asset, let size, let digest):
            return complete(download, asset, size, digest) + startQueued()
        case .stopped:
            return carryOn(id) + startQueued()
        case .failed(let failure, let held):
            guard !download.callers.isEmpty else {
                forget(id)
                return startQueued()
            }
            return fail(download, failure, heldBytes: held) + startQueued()
        }
    }

    private mutating func complete(
        _ download: Download, _ asset: Asset, _ size: Int64, _ digest: SHA256Digest?
    ) -> [Action] {
        forget(download.id)
        if download.callers.isEmpty { return [.keep(asset)] }
        statistics.coalescedBytes += size * Int64(download.callers.count - 1)
        return download.callers.map { caller in
            .answer(caller.token, caller.judge(sizeBytes: size, digest: digest).map { .failure($0) } ?? .success(asset))
        }
    }

    /// After a stop: whoever asked meanwhile gets the download going again at the byte it had reached.
    private mutating func carryOn(_ id: DownloadID) -> [Action] {
        guard let download = downloads[id], !download.callers.isEmpty else {
            forget(id)
            return []
        }
        downloads[id]?.hasFetched = false
        enqueue(id)
        return []
    }

    private mutating func fail(_ download: Download, _ failure: AttemptFailure, heldBytes: Int64) -> [Action] {
        var download = download
        if failure.error.code == .overBudget {
            return failOverBudget(download, failure)
        }
        download.sources.note(heldBytes: heldBytes)
        let next = download.sources.next(after: failure, policy: configuration.retry, using: &generator)
        downloads[download.id] = download
        switch next {
        case .giveUp:
            forget(download.id)
            return download.callers.map { .answer($0.token, .failure(failure.error)) }
        case .tryAgain(let delay):
            let told: [Action] = download.callers.map { .tell($0.token, .retrying(failure.error, after: delay)) }
            guard delay > .zero else {
                enqueue(download.id)
                return told
            }
            let alarm = nextNumber()
            downloads[download.id]?.phase = .resting(alarm)
            return told + [.setAlarm(download.id, alarm, after: delay)]
        }
    }

    /// The try was cut at the largest budget its callers had then. Who joined later with a larger one is not hurt by that.
    private mutating func failOverBudget(_ download: Download, _ failure: AttemptFailure) -> [Action] {
        var actions: [Action] = []
        for caller in download.callers where caller.budgetBytes.map({ $0 <= failure.budgetBytes ?? .max }) ?? false {
            actions.append(.answer(caller.token, .failure(failure.error)))
            byToken[caller.token] = nil
            downloads[download.id]?.callers.removeAll { $0.token == caller.token }
        }
        return actions + carryOn(download.id)
    }

    /// A delay is over.
    mutating func wake(_ id: DownloadID, alarm: UInt64) -> [Action] {
        guard downloads[id]?.phase == .resting(alarm) else { return [] }
        enqueue(id)
        return startQueued()
    }

    // MARK: The whole

    /// Notes what went over the wire.
    mutating func note(receivedBytes: Int64, requestCount: Int) {
        statistics.fetchedBytes += receivedBytes
        statistics.requestCount += requestCount
    }

    /// Ends it all: every caller is answered, every try stopped with its bytes kept. Later requests are answered with `cancelled`.
    mutating func shutDown() -> [Action] {
        isShutDown = true
        return byToken.keys.sorted { $0.number < $1.number }.flatMap { cancel($0) }
    }

    private func isCurrent(_ attempt: AttemptID, _ id: DownloadID) -> Bool {
        guard case .running(attempt, _) = downloads[id]?.phase else { return false }
        return true
    }

    private mutating func forget(_ id: DownloadID) {
        guard let download = downloads.removeValue(forKey: id) else { return }
        queue.remove(id)
        for caller in download.callers { byToken[caller.token] = nil }
        if bySource[download.key] == id { bySource[download.key] = nil }
        if let digest = download.digest, byDigest[digest] == id { byDigest[digest] = nil }
    }

    /// Lets a download wait for its turn, with the priority its callers give it now.
    private mutating func enqueue(_ id: DownloadID) {
        guard let download = downloads[id] else { return }
        downloads[id]?.phase = .queued
        let ticket = TransferQueue.Ticket(id: id, priority: download.priority, sequence: id.number)
        queue.add(ticket, host: download.sources.current.host)
    }

    private mutating func startQueued() -> [Action] {
        var actions: [Action] = []
        while let id = queue.startNext() {
            guard let download = downloads[id] else { continue }
            let attempt = AttemptID(number: nextNumber())
            downloads[id]?.phase = .running(attempt, isStopping: false)
            actions += download.callers.map { .tell($0.token, .started(download.sources.current)) }
            actions.append(
                .start(AttemptPlan(download, attempt: attempt, takesDigest: configuration.takesDigests)))
        }
        return actions
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
