import CCurl
import Platform

/// The thread that owns every libcurl handle of a session. Others talk to it through its mailbox.
final class SessionLoop: @unchecked Sendable {
    // Sendable because `mailbox` has its lock, `configuration` and `multi` never change, and all else belongs to the loop thread.

    enum Message {
        case start(TransferID, TransferRequest, any TransferConsumer)
        case cancel(TransferID)
        /// A consumer can't take more: its channel keeps the reason.
        case consumerFailed(TransferID)
        case setRateLimit(Int64?)
        /// There is room in the pipeline again.
        case drained
        case invalidate((@Sendable () -> Void)?)
    }

    private struct Mailbox {
        var messages: [Message] = []
        var lastID: UInt64 = 0
        var isClosed = false
    }

    let configuration: SessionConfiguration
    private let multi: UnsafeMutableRawPointer
    private let mailbox = Locked(Mailbox())

    // The loop thread's own.
    private(set) var now = ContinuousClock.now
    private(set) lazy var pipeline = BodyPipeline { [weak self] in self?.post(.drained) }
    private var rateLimiter: RateLimiter
    private var exchanges: [TransferID: Exchange] = [:]
    private var spareHandles: [EasyHandle] = []
    private var isInvalid = false
    private var invalidated: [@Sendable () -> Void] = []
    private var lastSweep = ContinuousClock.now

    private static let globalInit: Void = { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

    init(configuration: SessionConfiguration) {
        Self.globalInit
        guard let multi = curl_multi_init() else { preconditionFailure("out of memory for a session") }
        self.multi = multi
        self.configuration = configuration
        rateLimiter = RateLimiter(bytesPerSecond: configuration.rateLimitBytesPerSecond, now: .now)
        // Connections that rest between exchanges; libcurl's own default depends on how many are running.
        larder_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
        larder_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    /// Starts the thread; it keeps the loop alive until it was invalidated.
    func startThread() { _ = WorkerThread(name: "larder-session") { self.run() } }

    // MARK: The mailbox

    func nextID() -> TransferID {
        mailbox.withLock { mailbox in
            mailbox.lastID += 1
            return TransferID(number: mailbox.lastID)
        }
    }

    /// Leaves a message and wakes the loop. After the end, what would have been refused is answered right here.
    func post(_ message: Message) {
        let isClosed = mailbox.withLock { mailbox in
            guard !mailbox.isClosed else { return true }
            mailbox.messages.append(message)
            // Inside the lock: the handle is only let go after the mailbox was closed.
            curl_multi_wakeup(multi)
            return false
        }
        guard isClosed else { return }
        switch message {
        case .start(_, _, let consumer):
            consumer.finish(TransferOutcome(result: .failure(.cancelled), receivedBytes: 0, requestCount: 0))
        case .invalidate(let completion): completion?()
        case .cancel, .consumerFailed, .setRateLimit, .drained: break
        }
    }

    // MARK: The loop

    private func run() {
        while true {
            now = .now
            for message in mailbox.withLock({ mailbox in
                defer { mailbox.messages.removeAll(keepingCapacity: true) }
                return mailbox.messages
            }) { handle(message) }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            now = .now
            concludeFinished()
            resumePaused()
            sweep()
            if isInvalid, close() { break }
            curl_multi_poll(multi, nil, 0, Int32(clamping: pollTimeout.wholeMilliseconds), nil)
        }
        // What lies behind the last reference to a pipeline are its threads: they must not be waited for by one of themselves.
        let completions = invalidated
        let pipeline = pipeline
        spareHandles = []
        curl_multi_cleanup(multi)
        Task.detached {
            await pipeline.drain()
            for completion in completions { completion() }
        }
    }

    private func handle(_ message: Message) {
        switch message {
        case .start(let id, let request, let consumer): start(id, request, consumer)
        case .cancel(let id): end(id, .failure(.cancelled))
        case .consumerFailed(let id): end(id, .failure(.cancelled))
        case .setRateLimit(let bytesPerSecond): rateLimiter.bytesPerSecond = bytesPerSecond
        case .drained: break
        case .invalidate(let completion):
            isInvalid = true
            if let completion { invalidated.append(completion) }
            for id in exchanges.keys { end(id, .failure(.cancelled)) }
        }
    }

    private func start(_ id: TransferID, _ request: TransferRequest, _ consumer: any TransferConsumer) {
        let channel = BodyChannel(consumer: consumer, pipeline: pipeline, id: id) { [weak self] in
            self?.post(.consumerFailed(id))
        }
        let exchange = Exchange(
            id: id, request: request, channel: channel, handle: spareHandles.popLast() ?? EasyHandle(), loop: self)
        exchanges[id] = exchange
        guard !isInvalid else { return end(id, .failure(.cancelled)) }
        guard configuration.allowedSchemes.contains(request.url.scheme) else {
            return end(id, .failure(.unusableRequest("the scheme '\(request.url.scheme)' is not allowed")))
        }
        startHop(exchange)
    }

    private func startHop(_ exchange: Exchange) {
        exchange.prepareHop()
        if let refusal = exchange.handle.refusal {
            return finish(exchange, .failure(.unusableRequest("libcurl refused option \(refusal)")))
        }
        curl_multi_add_handle(multi, exchange.handle.raw)
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
            let conclusion = exchange.conclude(code)
            curl_multi_remove_handle(multi, raw)
            switch conclusion {
            case .anotherHop: startHop(exchange)
            case .end(let result): finish(exchange, result)
            }
        }
    }

    /// Ends an exchange that libcurl still works on.
    private func end(_ id: TransferID, _ result: Result<TransferResponse, TransferError>) {
        guard let exchange = exchanges[id] else { return }
        curl_multi_remove_handle(multi, exchange.handle.raw)
        finish(exchange, result)
    }

    private func finish(_ exchange: Exchange, _ result: Result<TransferResponse, TransferError>) {
        exchanges[exchange.id] = nil
        exchange.finish(result)
        if spareHandles.count < 16 { spareHandles.append(exchange.handle) }
    }

    // MARK: Holding back

    /// Whether a transfer may take bytes now: there is room for them, and the rate allows it.
    func mayReceive() -> Bool { rateLimiter.allows(at: now) && pipeline.hasRoom() }

    func didReceive(_ count: Int) { rateLimiter.take(count) }

    private func resumePaused() {
        for exchange in exchanges.values where exchange.isPaused {
            guard mayReceive() else { return }
            exchange.resume()
        }
    }

    // MARK: Time

    /// Looks at the deadlines of all exchanges, ten times a second: they are seconds long, and a look costs little.
    private func sweep() {
        guard now - lastSweep >= .milliseconds(100) else { return }
        lastSweep = now
        for (id, exchange) in exchanges {
            exchange.sendOldPiece()
            if let error = exchange.brokenDeadline() { end(id, .failure(error)) }
        }
    }

    private var pollTimeout: Duration {
        guard !exchanges.isEmpty else { return .seconds(60) }
        let untilTokens = rateLimiter.wait
        return untilTokens > .zero ? min(untilTokens, .milliseconds(100)) : .milliseconds(100)
    }

    /// Closes the mailbox; false when a message came in meanwhile, which is to be handled first.
    private func close() -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.messages.isEmpty, exchanges.isEmpty else { return false }
            mailbox.isClosed = true
            return true
        }
    }
}
