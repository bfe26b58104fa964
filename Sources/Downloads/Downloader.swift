import Platform
import Transfer

/// Downloads assets: pausable, coalescing, with resume data on the disk.
///
/// Callers cancel; the downloader pauses. Asking again resumes. Any number of callers of the same thing share one transfer; one leaving never
/// hurts the others; every caller is answered exactly once, whatever the order of requests and cancels.
public final class Downloader: Sendable {
    private let core: DownloaderCore

    /// Makes a downloader whose partial files gather in `store`.
    /// - Parameters:
    ///   - configuration: taken as it is; `DownloaderConfiguration.validate` tells what is wrong with it.
    ///   - store: where they gather; others may use it, too: each partial file is one user's at a time.
    ///   - events: told what happens to the downloader as a whole.
    public init(
        configuration: DownloaderConfiguration = DownloaderConfiguration(), store: ResumeStore,
        events: (@Sendable (DownloaderEvent) -> Void)? = nil
    ) {
        core = DownloaderCore(
            configuration: configuration, store: store, pressure: PressureStallTrigger.available(), credit: nil,
            makeRoom: { _ in nil }, inspect: { _ in nil }, events: events)
    }

    /// Makes a downloader that has its room made by somebody else.
    /// - Parameters:
    ///   - pressure: tells when memory is short.
    ///   - credit: what all transfers may receive together; nil: any number of bytes.
    ///   - makeRoom: asked before a body of known length is written.
    ///   - inspect: shown what came whole and has another digest than the one asked for.
    package init(
        configuration: DownloaderConfiguration = DownloaderConfiguration(), store: ResumeStore,
        pressure: (any MemoryPressureMonitor.Source)? = PressureStallTrigger.available(), credit: ByteCredit? = nil,
        makeRoom: @escaping RoomMaker, inspect: @escaping WrongBytesHandler = { _ in nil },
        events: (@Sendable (DownloaderEvent) -> Void)? = nil
    ) {
        core = DownloaderCore(
            configuration: configuration, store: store, pressure: pressure, credit: credit, makeRoom: makeRoom,
            inspect: inspect, events: events)
    }

    deinit {
        let core = core
        Task.detached { await core.shutDown() }
    }

    /// Asks for an asset.
    /// - Parameters:
    ///   - request: which asset, and what it may cost.
    ///   - events: told what happens on the way.
    ///   - completion: called exactly once, after the last event, with the complete file or the reason why there is none.
    /// - Returns: the caller's interest, to be given to `cancel`.
    @discardableResult
    public func download(
        _ request: DownloadRequest, events: (@Sendable (DownloadEvent) -> Void)? = nil,
        completion: @escaping @Sendable (Result<DownloadedFile, DownloadError>) -> Void
    ) -> DownloadToken {
        core.request(request, CallerMailbox(events: events, completion: completion))
    }

    /// Takes a caller's interest back: it is answered with `cancelled`, unless it has been answered before. Others who wait for the same
    /// asset go on; when none is left the transfer pauses, and its bytes are kept.
    public func cancel(_ token: DownloadToken) { core.cancel(token) }

    /// Asks for an asset, and waits. Cancelling the task is the caller's cancel.
    /// - Throws: `DownloadError`.
    public func download(
        _ request: DownloadRequest, events: (@Sendable (DownloadEvent) -> Void)? = nil
    ) async throws(DownloadError) -> DownloadedFile {
        let pending = PendingToken()
        let result: Result<DownloadedFile, DownloadError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let token = core.request(request, CallerMailbox(events: events, resuming: continuation))
                if pending.set(token) { core.cancel(token) }
            }
        } onCancel: {
            if let token = pending.cancel() { core.cancel(token) }
        }
        return try result.get()
    }

    /// Asks for an asset that is small enough to be held in memory, and waits. Cancelling the task is the caller's cancel.
    /// - Parameters:
    ///   - request: which asset, and what it may cost.
    ///   - budgetBytes: how many bytes are taken at most; the transfer is cut when more arrive.
    ///   - events: told what happens on the way.
    /// - Throws: `DownloadError`; `overBudget` for a larger asset.
    public func data(
        for request: DownloadRequest, budgetBytes: Int, events: (@Sendable (DownloadEvent) -> Void)? = nil
    ) async throws(DownloadError) -> [UInt8] {
        var request = request
        request.budgetBytes = min(request.budgetBytes ?? .max, Int64(budgetBytes))
        let file = try await download(request, events: events)
        return try await core.read(file, limitBytes: budgetBytes)
    }

    /// The downloads that lie paused in the store, the one that was paused first at the front.
    /// - Throws: `DownloadError` when the store can't be read.
    public func pausedDownloads() async throws(DownloadError) -> [PausedDownload] {
        try await core.store { store throws(DownloadError) in try store.pausedDownloads() }
    }

    /// Lets paused downloads go, the one that was paused first before the others; running and completed ones stay.
    /// - Parameter keptBytes: how many bytes of them may stay; 0, the default, lets all go.
    /// - Returns: what was removed.
    /// - Throws: `DownloadError` when the store can't be read or a file can't be removed.
    @discardableResult
    public func purge(keepingBytes keptBytes: Int64 = 0) async throws(DownloadError) -> [PausedDownload] {
        try await core.store { store throws(DownloadError) in try store.purge(keepingBytes: keptBytes) }
    }

    /// Lets go of memory that is only held for speed, and for a minute does with less of it. Running downloads go on. Where the system tells of
    /// memory pressure (Linux's PSI) the downloader does so by itself, and says so: `DownloaderEvent.memoryPressure`. Paused downloads
    /// lie on the disk and hold no memory.
    /// - Returns: what was let go.
    @discardableResult
    public func relieveMemory() async -> MemoryRelief { await core.relieveMemory() }

    /// Lets paused downloads go until the disk has so many bytes more: those that nobody wants first, then the one that was paused first. None that
    /// a caller waits for, none at all where they wouldn't be enough. Blocks.
    /// - Parameters:
    ///   - shortageBytes: asked when nobody else lets any go.
    ///   - wanted: tells which somebody means to go on with; asked only where anything is paused.
    ///   - sparesWanted: whether these stay in any case.
    /// - Returns: what was removed.
    package func evict(
        freeing shortageBytes: @escaping @Sendable () -> Int64, wanted: @escaping PausedDownload.Choice,
        sparesWanted: Bool
    ) throws(DownloadError) -> [PausedDownload] {
        try core.evict(wanted: wanted) { candidates in
            let candidates = sparesWanted ? candidates.filter { !$0.isWanted } : candidates
            return Eviction(of: candidates, freeing: shortageBytes()).chosen
        }.get()
    }

    /// Lets paused downloads go that nobody wants and that were paused before `time`. Blocks.
    /// - Returns: what was removed.
    package func evict(
        pausedBefore time: Timestamp, exceptFor wanted: @escaping PausedDownload.Choice
    ) throws(DownloadError) -> [PausedDownload] {
        try core.evict(wanted: wanted) { $0.filter { !$0.isWanted && $0.paused < time } }.get()
    }

    /// Works by another configuration from now on, and waits until that is so.
    ///
    /// The rate limit, the numbers of transfers at once, the retry policy and whether digests are taken change while everything runs on; transfers
    /// above a lower number end before others begin. So does the number of connections that one download may have (`split`): those over a lower
    /// one are closed with their bytes kept; the rest of that policy holds for what starts from now on. Anything else in the session's configuration
    /// takes a new session: the old one is closed, and once it is gone every transfer goes on in the next one, those that ran before the others, at
    /// the byte they had reached. No retry is counted for that; callers hear `DownloadEvent.resumed`, and the downloader's own events
    /// `DownloaderEvent.sessionRebuilt`. A transfer that can't be resumed, for want of a validator, begins anew. Of several changes in quick
    /// succession the last one counts. After `shutDown` nothing happens.
    /// - Parameters:
    ///   - configuration: what holds from then on, all of it.
    ///   - reason: what `sessionRebuilt` says.
    /// - Throws: `ConfigurationError` for a configuration that can't work; then all goes on as before.
    public func reconfigure(
        _ configuration: DownloaderConfiguration, because reason: RebuildReason = .configuration
    ) async throws(ConfigurationError) {
        try await core.reconfigure(configuration, because: reason)
    }

    /// Builds all connections anew, as another configuration would, and waits until that is so: for when the machine slept, or reaches its
    /// networks in another way.
    public func reconnect(because reason: RebuildReason) async { await core.reconnect(because: reason) }

    /// Tells whether the machine has a way out of its own networks; at first it is taken to have one.
    ///
    /// While it has none, a download whose sources all fail for want of a route, or of an address for their names, waits: for a network, for
    /// other connections, or for half a minute, after which it looks again. No retry is counted for that. Sources on loopback and on the
    /// machine's own networks are reached as ever, and fail as ever; so does what says ``DownloadRequest/failsWithoutNetwork``.
    public func setNetwork(isUsable: Bool) { core.setNetwork(isUsable: isUsable) }

    /// What was fetched so far, in all.
    public var statistics: DownloadStatistics { core.statistics }

    /// Pauses every transfer, answers every caller and ends the session. When this returns, what was fetched is on the disk with its resume
    /// data. Later requests are answered with `cancelled`.
    public func shutDown() async { await core.shutDown() }
}

/// A token that a task's cancellation may look for before it is there.
private final class PendingToken: Sendable {
    private let state = Locked<(token: DownloadToken?, isCancelled: Bool)>((nil, false))

    /// Notes the token; true when the task was cancelled before.
    func set(_ token: DownloadToken) -> Bool {
        state.withLock { state in
            state.token = token
            return state.isCancelled
        }
    }

    /// Notes the cancellation; the token, if it is known already.
    func cancel() -> DownloadToken? {
        state.withLock { state in
            state.isCancelled = true
            return state.token
        }
    }
}
