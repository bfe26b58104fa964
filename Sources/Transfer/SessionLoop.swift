import CCurl
import Platform

/// The thread that owns every libcurl handle of a session. Others talk to it through its mailbox.
final class SessionLoop: @unchecked Sendable {
    // Sendable because `mailbox`, `pipeline`, `credit` and `thread` take care of themselves, `configuration` and `multi` never change, and all
    // else belongs to the loop thread.

    let configuration: SessionConfiguration
    private let multi: UnsafeMutableRawPointer
    private let mailbox: SessionMailbox
    let pipeline: BodyPipeline
    /// Nil: as much as comes.
    private let credit: ByteCredit?
    private let thread = Locked<WorkerThread?>(nil)

    // The loop thread's own. Time asleep doesn't count: it is no silence of a server's.
    private(set) var now = SuspendingClock.now
    private var rateLimiter: RateLimiter
    private var exchanges: [TransferID: Exchange] = [:]
    /// Who is held back, in the order in which they may go on.
    private var heldBack: [TransferID] = []
    private var spareHandles: [EasyHandle] = []
    /// Until when memory is taken to be short; nil: it isn't.
    private var memoryShortUntil: SuspendingClock.Instant?
    /// Whether there wasn't enough credit for some bytes: from then on whoever has any to take stands still, unless they are reserved for it.
    private var isOutOfCredit = false
    private var isInvalid = false
    private var invalidated: [@Sendable () -> Void] = []
    private var lastSweep = SuspendingClock.now

    /// Open at once, those that rest between exchanges among them; libcurl's own default depends on how many are running.
    private static let maximumConnections = 64
    private static let maximumSpareHandles = 16

    private static let globalInit: Void = { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

    init(configuration: SessionConfiguration, credit: ByteCredit?) {
        Self.globalInit
        guard let multi = curl_multi_init() else { preconditionFailure("out of memory for a session") }
        self.multi = multi
        let mailbox = SessionMailbox(waking: multi)
        self.mailbox = mailbox
        pipeline = BodyPipeline { mailbox.post(.drained) }
        self.configuration = configuration
        self.credit = credit
        rateLimiter = RateLimiter(bytesPerSecond: configuration.rateLimitBytesPerSecond, now: .now)
        larder_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        larder_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumConnections)
    }

    /// Starts the thread; it keeps the loop alive until it was invalidated.
    func startThread() {
        thread.withLock { $0 = WorkerThread(name: "larder-session") { self.run() } }
    }

    // MARK: From other threads

    func nextID() -> TransferID { mailbox.nextID() }

    /// Leaves a message for the loop. After its end, what would have been refused is refused here; never on the thread of the caller, who
    /// may hold a lock.
    func post(_ message: SessionMailbox.Message) {
        guard !mailbox.post(message) else { return }
        switch message {
        case .start(let id, _, let consumer):
            pipeline.writer(for: id).enqueue {
                consumer.finish(TransferOutcome(result: .failure(.cancelled), receivedBytes: 0, requestCount: 0))
            }
        case .invalidate(let completion?): callWhenGone([completion])
        case .relieveMemory(let completion): completion(MemoryRelief())
        case .invalidate(nil), .cancel, .consumerFailed, .setRateLimit, .drained: break
        }
    }

    /// Calls back once every consumer was told and the thread has ended.
    private func callWhenGone(_ completions: [@Sendable () -> Void]) {
        guard !completions.isEmpty else { return }
        Task.detached { [pipeline, thread] in
            await pipeline.drain { thread.withLock { $0 }?.join() }
            for completion in completions { completion() }
        }
    }

    // MARK: The loop

    private func run() {
        while true {
            now = .now
            for message in mailbox.takeAll() { handle(message) }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            now = .now
            concludeFinished()
            resumeHeldBack()
            sweep()
            if isInvalid, exchanges.isEmpty, mailbox.closeIfEmpty() { break }
            if mailbox.mayWait() {
                curl_multi_poll(multi, nil, 0, Int32(clamping: pollTimeout.wholeMilliseconds), nil)
            }
        }
        spareHandles = []
        curl_multi_cleanup(multi)
        callWhenGone(invalidated)
    }

    private func handle(_ message: SessionMailbox.Message) {
        switch message {
        case .start(let id, let request, let consumer): start(id, request, consumer)
        case .cancel(let id), .consumerFailed(let id):
            if let exchange = exchanges[id] { end(exchange, .failure(.cancelled)) }
        case .setRateLimit(let bytesPerSecond): rateLimiter.bytesPerSecond = bytesPerSecond
        case .relieveMemory(let completion): completion(relieveMemory())
        case .drained: break
        case .invalidate(let completion):
            isInvalid = true
            if let completion { invalidated.append(completion) }
            for exchange in exchanges.values { end(exchange, .failure(.cancelled)) }
        }
    }

    private func start(_ id: TransferID, _ request: TransferRequest, _ consumer: any TransferConsumer) {
        let channel = BodyChannel(consumer: consumer, pipeline: pipeline, id: id) { [mailbox] in
            mailbox.post(.consumerFailed(id))
        }
        let exchange = Exchange(
            id: id, request: request, channel: channel, handle: spareHandles.popLast() ?? EasyHandle(), loop: self)
        exchanges[id] = exchange
        guard !isInvalid else { return finish(exchange, .failure(.cancelled)) }
        guard configuration.allowedSchemes.contains(request.url.scheme) else {
            return finish(exchange, .failure(.unusableRequest("the scheme '\(request.url.scheme)' is not allowed")))
        }
        guard HeaderFields.isValue(configuration.userAgent) else {
            return finish(exchange, .failure(.unusableRequest("the session's User-Agent can't be in a header")))
        }
        if let problem = request.problem { return finish(exchange, .failure(.unusableRequest(problem))) }
        startHop(exchange)
    }

    private func startHop(_ exchange: Exchange) {
        exchange.prepareHop()
        if let refusal = exchange.handle.refusal {
            return finish(exchange, .failure(.unusableRequest("libcurl refused option \(refusal)")))
        }
        let code = curl_multi_add_handle(multi, exchange.handle.raw)
        // Nothing would ever be heard of it again.
        if code != CURLM_OK {
            finish(
                exchange,
                .failure(.unusableRequest("libcurl refused it: \(String(cString: curl_multi_strerror(code)))")))
        }
    }

    private func concludeFinished() {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle else { continue }
            let code = larder_curl_message_result(message)
            var pointer: UnsafeMutableRawPointer?
            larder_curl_get_pointer(raw, CURLINFO_PRIVATE, &pointer)
            guard let pointer else { continue }
            let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
            end(exchange, exchange.conclusion(of: code))
        }
    }

    /// Takes an exchange's hop from libcurl, and goes on with the next one or finishes.
    private func end(_ exchange: Exchange, _ conclusion: Exchange.Conclusion) {
        curl_multi_remove_handle(multi, exchange.handle.raw)
        switch conclusion {
        case .anotherHop(let url):
            exchange.move(to: url)
            startHop(exchange)
        case .success(let response): finish(exchange, .success(response))
        case .failure(let error): finish(exchange, .failure(error))
        }
    }

    private func finish(_ exchange: Exchange, _ result: Result<TransferResponse, TransferError>) {
        exchanges[exchange.id] = nil
        exchange.finish(result)
        exchange.request.creditShare?.release()
        if memoryShortUntil == nil, spareHandles.count < Self.maximumSpareHandles {
            spareHandles.append(exchange.handle)
        }
    }

    // MARK: Memory

    private func relieveMemory() -> MemoryRelief {
        memoryShortUntil = now + .seconds(60)
        defer { spareHandles = [] }
        larder_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, exchanges.count))
        return MemoryRelief(bufferBytes: pipeline.relieveMemory(), handleCount: spareHandles.count)
    }

    private func endMemoryShortage() {
        guard let end = memoryShortUntil, now >= end else { return }
        memoryShortUntil = nil
        larder_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumConnections)
        pipeline.endMemoryShortage()
    }

    // MARK: Holding back

    /// Whether a transfer may take so many bytes now: there is room for them, the rate allows it, and there is credit, which is spent then.
    func mayReceive(_ count: Int, by share: ByteCredit.Share?) -> Bool { mayResume() && takeCredit(count, for: share) }

    /// Whether there is credit for so many bytes, which is spent then.
    func takeCredit(_ count: Int, for share: ByteCredit.Share?) -> Bool {
        guard let credit else { return true }
        guard mayHaveCredit(share) else { return false }
        if credit.take(count, for: share) { return true }
        isOutOfCredit = true
        return false
    }

    private func mayHaveCredit(_ share: ByteCredit.Share?) -> Bool { !isOutOfCredit || share?.hasReserve == true }

    private func mayResume() -> Bool { rateLimiter.allows(at: now) && pipeline.hasRoom() }

    func didReceive(_ count: Int) { rateLimiter.take(count) }

    /// Notes that an exchange has something to take as soon as it may.
    func didHoldBack(_ id: TransferID) { heldBack.append(id) }

    /// Lets those go on who were held back, each in its turn, so that none starves beside the others.
    private func resumeHeldBack() {
        let waiting = heldBack
        heldBack = []
        for (index, id) in waiting.enumerated() {
            guard mayResume() else {
                heldBack = waiting[index...] + heldBack
                return
            }
            guard let exchange = exchanges[id] else { continue }
            guard mayHaveCredit(exchange.request.creditShare) else {
                heldBack.append(id)
                continue
            }
            if let conclusion = exchange.resume() { end(exchange, conclusion) }
        }
    }

    // MARK: Time

    /// Looks at the deadlines of all exchanges, ten times a second: they are seconds long, and a look costs little.
    private func sweep() {
        guard now - lastSweep >= .milliseconds(100) else { return }
        lastSweep = now
        endMemoryShortage()
        for exchange in exchanges.values {
            exchange.sendOldPiece()
            if let error = exchange.brokenDeadline() { end(exchange, exchange.conclusion(of: error)) }
        }
    }

    private var pollTimeout: Duration {
        guard !exchanges.isEmpty else { return .seconds(60) }
        let untilTokens = rateLimiter.wait
        return untilTokens > .zero ? min(untilTokens, .milliseconds(100)) : .milliseconds(100)
    }
}
