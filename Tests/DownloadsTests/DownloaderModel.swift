import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// Drives one state by a generator, and keeps its own, much simpler, books.
struct DownloaderModel {
    /// What was told last of further connections has the highest number.
    var lastWant: UInt64 = 0
    typealias State = DownloaderState<Int>

    enum Caller {
        case waiting(budgetBytes: Int64?, digest: SHA256Digest?)
        case answered
    }

    struct Try {
        let plan: AttemptPlan
        /// Which session carries it, counted from 0.
        let session: Int
        var isStopped = false
        var heldBytes: Int64
    }

    var violations: [String] = []
    private(set) var history: [String] = []
    var state: State
    var generator: SplitMix64
    private var callers: [DownloadToken: Caller] = [:]
    var live: [AttemptID: Try] = [:]
    /// Tries that are over, for late reports.
    private var past: [AttemptPlan] = []
    private var alarms: [(DownloadID, UInt64)] = []
    private var paused: [String: Int64] = [:]
    private(set) var isShutDown = false
    var session = ModelSession()
    var connections: [ConnectionID: ModelConnection] = [:]
    private let urls: [TransferURL]
    private let digests: [SHA256Digest]
    private let totalBytes: Int64 = 1000

    init(seed: UInt64) throws {
        generator = SplitMix64(seed: seed)
        var configuration = DownloaderConfiguration()
        configuration.maximumTransfers = Int.random(in: 1...4, using: &generator)
        configuration.maximumTransfersPerHost = Int.random(in: 1...3, using: &generator)
        configuration.retry.retries = Int.random(in: 0...3, using: &generator)
        configuration.takesDigests = Bool.random(using: &generator)
        state = State(configuration: configuration, generator: SplitMix64(seed: seed &+ 1))
        urls = try (0..<6).map { try TransferURL("http://host\($0 % 3).example/\($0)") }
        digests = (0..<2).map { SHA256.digest(of: [UInt8($0)]) }
    }

    mutating func check(_ condition: Bool, _ what: String) {
        if !condition { violations.append(what) }
    }

    // MARK: What happens

    mutating func step() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<26: request()
        case 26..<38: cancel()
        case 38..<57: progress()
        case 57..<71: finishTry()
        case 71..<79: ring()
        case 79..<84: reportLate()
        case 84..<86: purge()
        case 86..<90: reconfigure()
        case 90..<92: changeNetwork()
        case 92..<95: Bool.random(using: &generator) ? endConnection() : wantConnections()
        case 95..<99: closeDown()
        default: if Int.random(in: 0..<4, using: &generator) == 0 { shutDown() }
        }
        checkBounds()
    }

    private mutating func request() {
        var request = DownloadRequest(
            pick(urls), mirrors: Bool.random(using: &generator) ? [pick(urls)] : [])
        if Int.random(in: 0..<3, using: &generator) == 0 { request.digest = pick(digests) }
        if Int.random(in: 0..<4, using: &generator) == 0 { request.headers = ["Authorization": "t"] }
        if Int.random(in: 0..<5, using: &generator) == 0 { request.redirects = .refuse }
        if Int.random(in: 0..<6, using: &generator) == 0 {
            request.condition = DownloadCondition(validator: "\"v\"", of: request.urls[0])
        }
        if Int.random(in: 0..<5, using: &generator) == 0 {
            request.budgetBytes = Int64.random(in: 0...2000, using: &generator)
        }
        if Int.random(in: 0..<6, using: &generator) == 0 {
            request.sizeBytes = Bool.random(using: &generator) ? totalBytes : 7
        }
        request.priority = Int.random(in: -1...1, using: &generator)
        let (token, actions) = state.request(request)
        note("request \(token.number) \(request.urls.map(\.path)) digest \(request.digest != nil)")
        check(callers[token] == nil, "token \(token) was used twice")
        callers[token] = .waiting(budgetBytes: request.budgetBytes, digest: request.digest)
        carryOut(actions)
        if isShutDown { check(isAnswered(token), "a request after the end was not answered") }
    }

    private mutating func cancel() {
        guard let token = callers.keys.sorted(by: { $0.number < $1.number }).randomElement(using: &generator) else {
            return
        }
        note("cancel \(token.number)")
        let wasAnswered = isAnswered(token)
        let actions = state.cancel(token)
        let answers = actions.filter { if case .answer(token, _) = $0 { true } else { false } }
        check(answers.count == (wasAnswered ? 0 : 1), "a cancel was answered \(answers.count) times")
        carryOut(actions)
    }

    private mutating func progress() {
        guard let id = pickLive(), var current = live[id] else { return }
        note("progress of \(id.number)")
        if Int.random(in: 0..<4, using: &generator) == 0 {
            resume(id, current)
        }
        current.heldBytes = min(totalBytes, current.heldBytes + Int64.random(in: 1...400, using: &generator))
        live[id] = current
        session.noteBytes(of: current.plan.download)
        carryOut(
            state.attemptProgressed(
                id, of: current.plan.download,
                DownloadProgress(
                    receivedBytes: current.heldBytes, totalBytes: Bool.random(using: &generator) ? totalBytes : nil,
                    resumedFromBytes: 0, bytesPerSecond: nil),
                from: current.plan.sources.randomElement(using: &generator) ?? current.plan.url))
    }

    private mutating func finishTry() {
        guard let id = pickLive(), let current = live[id] else { return }
        if current.isStopped, Int.random(in: 0..<3, using: &generator) != 0 { return end(id, .stopped) }
        if Bool.random(using: &generator) {
            let digest = current.plan.digest ?? (current.plan.takesDigest ? pick(digests) : nil)
            return end(id, .completed(Int(id.number), sizeBytes: totalBytes, digest: digest))
        }
        let failure: AttemptFailure
        switch Int.random(in: 0..<8, using: &generator) {
        case 7: failure = AttemptFailure(.noRoute("no network"))
        case 0: failure = AttemptFailure(.transportFailure, "lost", .retry)
        case 1: failure = AttemptFailure(.unreachable("away"))
        case 2: failure = AttemptFailure(.unacceptableStatus(404), "404", .nextSource)
        case 3: failure = AttemptFailure(.changedWhileDownloading, "changed", .restart)
        case 4 where current.plan.budgetBytes != nil:
            failure = AttemptFailure(TransferError.overBudget(limitBytes: current.plan.budgetBytes ?? 0))
        case 5 where current.plan.digest != nil: failure = AttemptFailure(.digestMismatch, "other bytes", .nextSource)
        case 6 where current.plan.expectedBytes != nil:
            failure = AttemptFailure(.sizeMismatch, "other size", .nextSource)
        default: failure = AttemptFailure(.fileFailed, "disk", .giveUp)
        }
        end(id, .failed(failure, heldBytes: failure.discardsBytes ? 0 : current.heldBytes))
    }

    mutating func end(_ id: AttemptID, _ end: State.AttemptEnd) {
        guard let current = live.removeValue(forKey: id) else { return }
        note("end of \(id.number): \(end)")
        past.append(current.plan)
        connections = connections.filter { $0.value.attempt != id }
        let waited = state.downloads[current.plan.download]?.callers.map(\.token) ?? []
        if case .stopped = end {
            paused[current.plan.url.text] = current.heldBytes
            session.noteStop(of: current)
        }
        carryOut(state.attemptEnded(id, of: current.plan.download, end))
        if case .stopped = end {
            // Whoever came while it was being stopped still waits, and the download is on its way again.
            for token in waited {
                check(!isAnswered(token) && state.byToken[token] != nil, "a stop lost caller \(token.number)")
            }
        }
    }

    private mutating func ring() {
        guard let index = alarms.indices.randomElement(using: &generator) else { return }
        let (download, alarm) = alarms[index]
        // Sometimes twice, as an old alarm would.
        if Bool.random(using: &generator) { alarms.remove(at: index) }
        note("alarm of \(download.number)")
        carryOut(state.wake(download, alarm: alarm))
    }

    private mutating func reportLate() {
        guard let plan = past.randomElement(using: &generator) else { return }
        note("late report of \(plan.attempt.number)")
        let progress = DownloadProgress(receivedBytes: 1, totalBytes: nil, resumedFromBytes: 0, bytesPerSecond: nil)
        check(
            state.attemptProgressed(plan.attempt, of: plan.download, progress, from: plan.url).isEmpty,
            "late progress was heard")
        check(state.attemptResumed(plan.attempt, of: plan.download, offsetBytes: 1).isEmpty, "a late resume was heard")
        check(state.attemptEnded(plan.attempt, of: plan.download, .stopped).isEmpty, "a late stop was heard")
        let failure = AttemptFailure(.fileFailed, "late", .giveUp)
        check(
            state.attemptEnded(plan.attempt, of: plan.download, .failed(failure, heldBytes: 0)).isEmpty,
            "a late failure was heard")
        let finish = state.attemptEnded(plan.attempt, of: plan.download, .completed(0, sizeBytes: 1, digest: nil))
        guard finish.count == 1, case .keep(0) = finish[0] else {
            return violations.append("a late finish was \(finish)")
        }
    }

    /// Partial files of paused downloads go; what runs isn't touched by that.
    private mutating func purge() { paused = [:] }

    private mutating func shutDown() {
        note("shut down")
        isShutDown = true
        carryOut(state.shutDown())
        check(
            callers.values.allSatisfy { if case .answered = $0 { true } else { false } },
            "the end left somebody waiting")
        for current in live.values { check(current.isStopped, "the end left a try running") }
        check(!session.isOpen, "the end left the session open")
    }

    /// Everybody leaves, and every try ends.
    mutating func end() {
        for token in callers.keys.sorted(by: { $0.number < $1.number }) { carryOut(state.cancel(token)) }
        for id in live.keys.sorted(by: { $0.number < $1.number }) {
            check(live[id]?.isStopped == true, "try \(id.number) runs for nobody")
            end(id, .stopped)
        }
        for (download, alarm) in alarms { carryOut(state.wake(download, alarm: alarm)) }
        if !session.isOpen { carryOut(state.sessionClosed()) }
        check(state.session == (isShutDown ? .gone : .open), "the session is left \(state.session)")
        check(live.isEmpty, "tries were started for nobody")
        check(state.downloadCount == 0, "\(state.downloadCount) downloads leaked")
        check(state.byToken.isEmpty, "tokens leaked")
        check(state.queue.waitingCount == 0 && state.queue.runningCount == 0, "the queue isn't empty")
        check(
            state.connections.isEmpty && state.wantedConnections.isEmpty && state.queue.furtherConnectionCount == 0,
            "connections leaked")
        check(
            callers.values.allSatisfy { if case .answered = $0 { true } else { false } }, "somebody was never answered")
    }

    // MARK: What is done

    mutating func carryOut(_ actions: [State.Action]) {
        for action in actions {
            switch action {
            case .start(let plan): start(plan)
            case .stop(let id):
                check(live[id] != nil, "a try that doesn't run was stopped")
                check(live[id]?.isStopped != true, "a try was stopped twice")
                live[id]?.isStopped = true
            case .setAlarm(let download, let alarm, let delay):
                check(delay > .zero, "an alarm without a delay")
                alarms.append((download, alarm))
            case .tell(let token, let event):
                check(!isAnswered(token), "caller \(token.number) was told something after its answer")
                checkSilence(about: event, to: token)
            case .open, .close: carryOutForConnections(action)
            case .setRateLimit, .closeSession, .openSession, .announce: carryOutForSession(action)
            case .answer(let token, let result): answer(token, result)
            case .keep: break
            }
        }
    }

    private mutating func start(_ plan: AttemptPlan) {
        note("start \(plan.attempt.number) of \(plan.download.number)")
        check(!live.values.contains { $0.plan.download == plan.download }, "two tries of one download")
        check(live[plan.attempt] == nil && !past.contains { $0.attempt == plan.attempt }, "a try's name was used twice")
        check(!isShutDown, "a try was started after the end")
        checkTurn(of: plan)
        session.noteStart(of: plan.download)
        live[plan.attempt] = Try(plan: plan, session: session.number, heldBytes: paused[plan.url.text] ?? 0)
    }

    private mutating func answer(_ token: DownloadToken, _ result: Result<Int, DownloadError>) {
        guard case .waiting(let budget, let digest) = callers[token] else {
            return violations.append("caller \(token.number) was answered twice, or never asked")
        }
        callers[token] = .answered
        switch result {
        case .success:
            check(budget ?? totalBytes >= totalBytes, "an asset over its budget was handed to \(token.number)")
        case .failure(let error):
            check(error.code != .overBudget || budget != nil, "\(token.number) has no budget to be over")
            check(error.code != .digestMismatch || digest != nil, "\(token.number) knows no digest to be missed")
        }
    }

    private mutating func checkBounds() {
        check(live.count == state.queue.runningCount, "\(state.queue.runningCount) places taken by \(live.count) tries")
        checkConnections()
    }

    private func isAnswered(_ token: DownloadToken) -> Bool {
        if case .answered = callers[token] { true } else { false }
    }

    mutating func pickLive() -> AttemptID? {
        live.keys.sorted { $0.number < $1.number }.randomElement(using: &generator)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    mutating func note(_ line: String) { history.append(line) }
}
