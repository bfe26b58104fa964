import Transfer

@testable import Downloads

/// What the model knows of the session that carries its tries.
struct ModelSession {
    var number = 0
    var isOpen = true
    /// Downloads whose try ended with its session, each with the host it asked, until they go on.
    private(set) var interrupted: [DownloadID: String] = [:]
    /// Downloads that had bytes since their last pause: what they go on with was saved by nobody else.
    private(set) var withBytes: Set<DownloadID> = []

    mutating func noteBytes(of download: DownloadID) { withBytes.insert(download) }

    mutating func noteStart(of download: DownloadID) { interrupted[download] = nil }

    mutating func noteStop(of current: DownloaderModel.Try) {
        let download = current.plan.download
        if current.isStopped { withBytes.remove(download) } else { interrupted[download] = current.plan.url.host }
    }
}

/// Reconfigurations: sessions come and go, and the downloads stay.
extension DownloaderModel {
    mutating func reconfigure() {
        var configuration = state.configuration
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: configuration.maximumTransfers = Int.random(in: 1...4, using: &generator)
        case 1: configuration.maximumTransfersPerHost = Int.random(in: 1...3, using: &generator)
        case 2: configuration.session.rateLimitBytesPerSecond = Int64.random(in: 1...9, using: &generator)
        case 3: configuration.split.maximumConnections = Int.random(in: 1...4, using: &generator)
        default: configuration.session.userAgent = "agent \(generator.next())"
        }
        note("reconfigure to \(configuration)")
        let (old, wasOpen, wasShutDown) = (state.configuration, session.isOpen, isShutDown)
        carryOut(state.reconfigure(configuration, because: .configuration))
        guard !wasShutDown else { return check(state.configuration == old, "a change after the end") }
        check(state.configuration == configuration, "the new configuration isn't the one that counts")
        let needsSession = configuration.session.userAgent != old.session.userAgent
        check(session.isOpen == (wasOpen && !needsSession), "a session too few or too many")
    }

    /// The network goes, comes back, or is another one.
    mutating func changeNetwork() {
        let isUsable = Bool.random(using: &generator)
        note("the network is \(isUsable ? "there" : "gone")")
        carryOut(state.setNetwork(isUsable: isUsable))
        guard isUsable else { return }
        check(!state.downloads.values.contains { $0.isStranded }, "somebody waits for a network that is there")
        let (wasOpen, wasShutDown) = (session.isOpen, isShutDown)
        carryOut(state.reconnect(because: .routeChanged))
        check(!session.isOpen || wasShutDown || !wasOpen, "the old connections are left")
    }

    /// Brings what is on its way to its end a step further: a try of an old session, or the session itself.
    mutating func closeDown() {
        let orphans = live.filter { !session.isOpen || $0.value.session < session.number }.keys
        if let id = orphans.sorted(by: { $0.number < $1.number }).randomElement(using: &generator),
            session.isOpen || Bool.random(using: &generator)
        {
            stopBySession(id)
        } else if !session.isOpen, state.session.isClosing {
            note("the session is closed")
            carryOut(state.sessionClosed())
        }
    }

    /// Ends a try that nobody may have asked to be stopped.
    private mutating func stopBySession(_ id: AttemptID) {
        guard let current = live[id] else { return }
        let download = current.plan.download
        let patience = state.downloads[download].map { "\($0.sources)" }
        end(id, .stopped)
        guard !current.isStopped else { return }
        check(state.downloads[download] != nil, "download \(download.number) went with its session")
        check(patience == state.downloads[download].map { "\($0.sources)" }, "patience was spent on a session's end")
    }

    /// A try goes on at the byte that was reached; only what an earlier process or an earlier caller had left counts as saved.
    mutating func resume(_ id: AttemptID, _ current: Try) {
        let download = current.plan.download
        let before = state.statistics.resumedBytes
        let saved = session.withBytes.contains(download) ? 0 : current.heldBytes
        carryOut(state.attemptResumed(id, of: download, offsetBytes: current.heldBytes))
        session.noteBytes(of: download)
        check(state.statistics.resumedBytes == before + saved, "resumed bytes are counted wrongly")
    }

    mutating func carryOutForSession(_ action: State.Action) {
        switch action {
        case .setRateLimit(let limit):
            check(session.isOpen, "a limit for a session that isn't there")
            check(limit == state.configuration.session.rateLimitBytesPerSecond, "another limit than was asked for")
        case .closeSession:
            check(session.isOpen, "a session was closed twice")
            session.isOpen = false
        case .openSession(let configuration):
            check(!session.isOpen && !isShutDown, "a session too many")
            check(configuration == state.configuration.session, "a session that wasn't asked for last")
            session.isOpen = true
            session.number += 1
        default: break
        }
    }

    /// Whoever lost its try with its session doesn't hear of the next one's beginning.
    mutating func checkSilence(about event: DownloadEvent, to token: DownloadToken) {
        guard case .started = event, let download = state.byToken[token] else { return }
        check(session.interrupted[download] == nil, "caller \(token.number) noticed a new session")
    }

    /// Within the bounds of this moment, and never before one that ran already and might go on.
    mutating func checkTurn(of plan: AttemptPlan) {
        let limits = state.configuration
        let perHost = placesPerHost
        check(session.isOpen, "a try was started without a session")
        check(placeCount < limits.maximumTransfers, "\(placeCount + 1) transfers at once")
        check(perHost[plan.url.host] ?? 0 < limits.maximumTransfersPerHost, "too many at once from \(plan.url.host)")
        guard session.interrupted[plan.download] == nil else { return }
        let passedOver = session.interrupted.filter { id, host in
            state.downloads[id]?.phase == .queued && perHost[host] ?? 0 < limits.maximumTransfersPerHost
        }
        check(passedOver.isEmpty, "\(plan.download.number) went before \(passedOver.keys.map(\.number))")
    }
}
