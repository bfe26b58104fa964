import Platform
import Transfer

/// Every decision of a `Downloader`, as a value: what happens goes in, what is to be done comes out, and nothing else is touched.
///
/// `Asset` is what a completed download hands to its callers. Here are the callers and the turns; `DownloaderState+Attempts` has what becomes of
/// the tries, `DownloaderState+Connections` which of them may have more than one connection, `DownloaderState+Session` what becomes of their
/// session.
struct DownloaderState<Asset> {
    var configuration: DownloaderConfiguration
    var session = SessionPhase.open
    /// Tries with lower numbers began in an earlier session.
    var sessionNumber: UInt64 = 0
    /// Whether there is a way out of the machine's own networks.
    var hasNetwork = true
    var downloads: [DownloadID: Download] = [:]
    private var byDigest: [DigestKey: DownloadID] = [:]
    private var bySource: [SourceKey: DownloadID] = [:]
    var byToken: [DownloadToken: DownloadID] = [:]
    var queue: TransferQueue
    /// The further connections of running downloads.
    var connections: [ConnectionID: FurtherConnection] = [:]
    /// How many of them running downloads could use.
    var wantedConnections: [DownloadID: (count: Int, number: UInt64)] = [:]
    var reputation = SourceReputation()
    private var lastNumber: UInt64 = 0
    private(set) var isShutDown = false
    /// What was done so far.
    var statistics = DownloadStatistics()
    var generator: any RandomNumberGenerator

    /// What is to be done, in this order, once the state is unlocked.
    enum Action {
        case start(AttemptPlan)
        case stop(AttemptID)
        /// A running try may have a further connection, to this source; be it for the asset's end alone.
        case open(ConnectionID, AttemptID, TransferURL, isForEnd: Bool)
        /// A further connection is to be given up.
        case close(ConnectionID, AttemptID)
        /// The session's rate limit changes, in bytes a second.
        case setRateLimit(Int64?)
        /// The session ends, and its tries with it; `sessionClosed` is to be called after that.
        case closeSession
        /// There is no session now, and this is the next one's configuration.
        case openSession(SessionConfiguration)
        case announce(DownloaderEvent)
        /// `wake` is to be called with these after the delay.
        case setAlarm(DownloadID, UInt64, after: Duration)
        case tell(DownloadToken, DownloadEvent)
        case answer(DownloadToken, Result<Asset, DownloadError>)
        /// The asset is complete but everybody has left: it is not thrown away.
        case keep(Asset)
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
        if let problem = request.problem { return (token, [.answer(token, .failure(problem))]) }
        return (token, admit(Download.Caller(token: token, request: request)) + startQueued())
    }

    /// Finds a caller a download to wait for, or makes one.
    mutating func admit(_ caller: Download.Caller) -> [Action] {
        let request = caller.request
        if let id = joinable(request) { return join(id, caller) }
        var download = Download(
            id: DownloadID(number: nextNumber()), request: request, key: SourceKey(request),
            sources: SourceRotation(request.urls))
        download.callers = [caller]
        downloads[download.id] = download
        byToken[caller.token] = download.id
        bySource[download.key] = bySource[download.key] ?? download.id
        if let key = DigestKey(request) { byDigest[key] = download.id }
        enqueue(download.id)
        return []
    }

    /// The download that would bring this very asset. Two digests are two assets, whatever the URL.
    private func joinable(_ request: DownloadRequest) -> DownloadID? {
        if let key = DigestKey(request), let id = byDigest[key] { return id }
        guard let id = bySource[SourceKey(request)], let download = downloads[id] else { return nil }
        guard let wanted = request.digest else { return id }
        guard let running = download.digest else { return configuration.takesDigests ? id : nil }
        return wanted == running ? id : nil
    }

    private mutating func join(_ id: DownloadID, _ caller: Download.Caller) -> [Action] {
        guard var download = downloads[id] else { return [] }
        download.callers.append(caller)
        // Other URLs are mirrors only where a digest says that they bring the same; and each with its own headers only.
        let request = caller.request
        if request.digest != nil, request.digest == download.digest, request.headers == download.request.headers {
            download.sources.add(request.urls)
        }
        downloads[id] = download
        byToken[caller.token] = id
        if download.phase == .queued { enqueue(id) }
        var progress = download.progress
        progress.isShared = download.callers.count > 1
        return [.tell(caller.token, .coalesced), .tell(caller.token, .progress(progress))]
    }

    /// A caller leaves. It is answered at once; the last one to leave pauses the download.
    mutating func cancel(_ token: DownloadToken) -> [Action] {
        guard byToken[token] != nil else { return [] }
        return [.answer(token, .failure(.cancelled))] + drop(token)
    }

    /// Forgets a caller who has its answer, and stops what nobody wants any more.
    mutating func drop(_ token: DownloadToken) -> [Action] {
        guard let id = byToken.removeValue(forKey: token), var download = downloads[id] else { return [] }
        download.callers.removeAll { $0.token == token }
        downloads[id] = download
        guard download.callers.isEmpty else {
            if download.phase == .queued { enqueue(id) }
            return []
        }
        switch download.phase {
        case .queued, .resting, .stranded:
            forget(id)
            return startQueued()
        case .running(let attempt, isStopping: false):
            downloads[id]?.phase = .running(attempt, isStopping: true)
            return [.stop(attempt)]
        case .running(_, isStopping: true): return []
        }
    }

    /// Ends it all: every caller is answered, every try stopped with its bytes kept. Later requests are answered with `cancelled`.
    mutating func shutDown() -> [Action] {
        isShutDown = true
        return byToken.keys.sorted { $0.number < $1.number }.flatMap { cancel($0) } + closeSession()
    }

    // MARK: Turns

    mutating func forget(_ id: DownloadID) {
        guard let download = downloads.removeValue(forKey: id) else { return }
        queue.remove(id)
        for caller in download.callers { byToken[caller.token] = nil }
        if bySource[download.key] == id { bySource[download.key] = nil }
        if let key = DigestKey(download.request), byDigest[key] == id { byDigest[key] = nil }
    }

    /// Lets a download wait for its turn, with the priority its callers give it now.
    mutating func enqueue(_ id: DownloadID) {
        guard let download = downloads[id] else { return }
        downloads[id]?.phase = .queued
        queue.add(
            TransferQueue.Ticket(
                id: id, isInterrupted: download.isInterrupted, priority: download.priority, sequence: id.number,
                host: download.sources.current.host))
    }

    mutating func startQueued() -> [Action] {
        guard session == .open else { return [] }
        var actions: [Action] = []
        while let id = queue.startNext() {
            guard var download = downloads[id] else { continue }
            // Another source would begin anew.
            if !download.isInterrupted, download.sources.avoid(reputation.isDoubtful) {
                downloads[id] = download
                queue.release(id)
                enqueue(id)
                continue
            }
            let attempt = AttemptID(number: nextNumber())
            downloads[id]?.begin(attempt)
            if !download.isInterrupted {
                actions += download.callers.map { .tell($0.token, .started(download.sources.current)) }
            }
            actions.append(
                .start(
                    AttemptPlan(
                        download, attempt: attempt, takesDigest: configuration.takesDigests, split: configuration.split)
                ))
        }
        return actions + shareConnections()
    }

    /// Gives back the memory that many more downloads had needed.
    mutating func compact() {
        downloads = downloads.compacted()
        byDigest = byDigest.compacted()
        bySource = bySource.compacted()
        byToken = byToken.compacted()
        queue.compact()
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
