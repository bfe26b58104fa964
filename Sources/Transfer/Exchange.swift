import CCurl
import Platform

/// One running exchange, from its first request through its redirects to the end of its body. Lives on the loop thread.
final class Exchange {
    let id: TransferID
    let request: TransferRequest
    let channel: BodyChannel
    let handle: EasyHandle
    unowned let loop: SessionLoop

    /// Where the current hop goes.
    private(set) var url: TransferURL
    private(set) var hopCount = 0
    private var head = ResponseHead()
    var phase = Phase.awaitingHead
    private var piece: BodyPiece?
    private var pieceStarted: SuspendingClock.Instant

    /// Set when we, not the wire, end it.
    private(set) var failure: TransferError?
    /// Whether libcurl was told to hold back, for want of room or of tokens.
    private(set) var isPaused = false

    private var wireBytes: Int64 = 0
    private var bodyBytes: Int64 = 0
    let started: SuspendingClock.Instant
    var lastActivity: SuspendingClock.Instant
    var hopStarted: SuspendingClock.Instant
    /// When the current hop's head was complete.
    var headCompleted: SuspendingClock.Instant
    /// What came since some byte of the current hop's body; nil before that: how fast a server is shows in bodies only.
    var rateWindow: (started: SuspendingClock.Instant, bytes: Int64)?

    enum Phase {
        case awaitingHead
        case receivingBody(TransferResponse)
        case ignoringBody(TransferResponse)
        case redirecting(to: TransferURL)
    }

    /// The body of a redirect is read, so that the connection lives on, but no longer than another connection would take.
    private static let ignoredBodyLimitBytes: Int64 = 64 << 10
    static let ignoredBodyLimit: Duration = .seconds(2)

    init(id: TransferID, request: TransferRequest, channel: BodyChannel, handle: EasyHandle, loop: SessionLoop) {
        self.id = id
        self.request = request
        self.channel = channel
        self.handle = handle
        self.loop = loop
        url = request.url
        started = request.began ?? loop.now
        lastActivity = loop.now
        hopStarted = loop.now
        headCompleted = loop.now
        pieceStarted = loop.now
    }

    // MARK: The request

    /// Sets the handle up for the current hop.
    func prepareHop() {
        handle.reset()
        handle.configure(
            for: loop.configuration, scheme: url.scheme, hasOwnConnection: request.hasOwnConnection)
        handle.set(CURLOPT_URL, url.text)
        handle.setHeaderLines(headerLines())
        if request.method == .head { handle.set(CURLOPT_NOBODY, 1) }
        if let range = request.range { handle.set(CURLOPT_RANGE, range) }
        handle.set(CURLOPT_HEADERFUNCTION, callback: headerCallback)
        handle.set(CURLOPT_WRITEFUNCTION, callback: bodyCallback)
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PRIVATE] { handle.set(option, pointer: pointer) }
        head = ResponseHead()
        phase = .awaitingHead
        bodyBytes = 0
        rateWindow = nil
        lastActivity = loop.now
        hopStarted = loop.now
        hopCount += 1
    }

    private func headerLines() -> [String] {
        // A transfer coding of the server's choice would make positions meaningless: what is counted are the asset's own bytes.
        var lines = ["Accept-Encoding: identity"]
        if request.range != nil, let validator = request.ifRange { lines.append("If-Range: \(validator)") }
        // Secrets are for the origin they were given for.
        guard url.origin == request.url.origin else { return lines }
        // What the request says itself the session needn't say as well, or otherwise.
        let general = loop.configuration.headers.fields.filter { request.headers[$0.name] == nil }
        for field in request.headers.fields + general {
            // libcurl's own notation for a field without a value.
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        return lines
    }

    // MARK: The reply

    func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // Trailers, which nobody wants, are no sign of life: they could go on for ever.
        if !head.isComplete { lastActivity = loop.now }
        switch head.take(line) {
        case .more: return true
        case .invalid(let reason):
            failure = .invalidResponse(reason)
            return false
        case .complete: return receiveHead()
        }
    }

    private func receiveHead() -> Bool {
        headCompleted = loop.now
        if [301, 302, 303, 307, 308].contains(head.status) {
            do {
                let target = try request.redirects.target(
                    of: head.headers["Location"], from: url, after: hopCount - 1,
                    allowedSchemes: loop.configuration.allowedSchemes)
                phase = .redirecting(to: target)
                return true
            } catch {
                failure = .redirectRefused(status: head.status, reason: error.reason)
                return false
            }
        }
        let response = TransferResponse(
            status: head.status, headers: head.headers, url: url, redirectCount: hopCount - 1,
            framing: head.framing(httpMajorVersion: handle.httpMajorVersion))
        switch channel.judge(response) {
        case .ignoreBody:
            phase = .ignoringBody(response)
            // It would be cut before its end; where none comes (RFC 9110 §6.4.1), the length is that of another reply.
            return request.method == .head || [204, 304].contains(response.status)
                || response.contentLengthBytes ?? 0 <= Self.ignoredBodyLimitBytes
        case .receiveBody:
            phase = .receivingBody(response)
            if let length = response.contentLengthBytes, exceedsBudget(length) { return false }
        }
        return true
    }

    /// Takes a piece of the body from libcurl and says what libcurl is to be told.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        // What follows a refused piece would leave a gap.
        guard failure == nil else { return 0 }
        guard case .receivingBody = phase else { return ignoreBody(bytes.count) ? bytes.count : 0 }
        guard loop.mayReceive(bytes.count, by: request.creditShare) else {
            isPaused = true
            loop.didHoldBack(id)
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        count(bytes.count)
        let (total, overflow) = bodyBytes.addingReportingOverflow(Int64(bytes.count))
        guard !overflow, !exceedsBudget(total) else { return 0 }
        bodyBytes = total
        loop.didReceive(bytes.count)
        gather(bytes)
        return bytes.count
    }

    private func ignoreBody(_ count: Int) -> Bool {
        guard loop.takeCredit(count, for: request.creditShare) else { return false }
        self.count(count)
        bodyBytes += Int64(count)
        return bodyBytes <= Self.ignoredBodyLimitBytes
    }

    private func count(_ bytes: Int) {
        lastActivity = loop.now
        wireBytes += Int64(bytes)
        rateWindow = (rateWindow?.started ?? loop.now, (rateWindow?.bytes ?? 0) + Int64(bytes))
    }

    private func exceedsBudget(_ total: Int64) -> Bool {
        guard let budget = request.bodyBudgetBytes, total > budget else { return false }
        failure = .overBudget(limitBytes: budget)
        return true
    }

    private func gather(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            if piece == nil {
                piece = loop.pipeline.takePiece()
                pieceStarted = loop.now
            }
            guard let piece else { return }
            let taken = piece.append(rest)
            rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
            if piece.room == 0 { sendPiece() }
        }
    }

    /// Hands over what has gathered.
    func sendPiece() {
        if let piece, piece.count > 0 { channel.send(piece) }
        piece = nil
    }

    /// Hands over what has gathered if it has been lying here for so long that a crash would make it worth something.
    func sendOldPiece() {
        if piece != nil, loop.now - pieceStarted >= .milliseconds(250) { sendPiece() }
    }

    /// Lets libcurl go on after a pause. It hands over what it held back right here.
    /// - Returns: the end of the current hop where we refused it; libcurl reports that nowhere else. What goes wrong on the wire it does report.
    func resume() -> Conclusion? {
        isPaused = false
        lastActivity = loop.now
        rateWindow = nil
        let code = curl_easy_pause(handle.raw, CURLPAUSE_CONT)
        return failure == nil ? nil : conclusion(of: code)
    }

    // MARK: The end

    /// What libcurl's end of the current hop means.
    func conclusion(of code: CURLcode) -> Conclusion {
        if let failure { return .failure(failure) }
        switch phase {
        case .receivingBody(let response) where code == CURLE_OK: return .success(response)
        case .awaitingHead where code == CURLE_OK: return .failure(.invalidResponse("it has no head"))
        case .awaitingHead, .receivingBody, .ignoringBody, .redirecting:
            return conclusion(
                of: TransferError(
                    code, handle.message(code), systemError: handle.systemError, configuration: loop.configuration))
        }
    }

    /// What a failure of the current hop means. Where the head was all that mattered, nothing behind it can do harm.
    func conclusion(of error: TransferError) -> Conclusion {
        if case .timedOut(.whole, _) = error { return .failure(error) }
        switch phase {
        case .redirecting(let target): return .anotherHop(target)
        case .ignoringBody(let response): return .success(response)
        case .awaitingHead, .receivingBody: return .failure(error)
        }
    }

    enum Conclusion {
        case anotherHop(TransferURL)
        case success(TransferResponse)
        case failure(TransferError)
    }

    /// Goes on where a redirect leads.
    func move(to target: TransferURL) { url = target }

    /// Hands over what has gathered, and the end.
    func finish(_ result: Result<TransferResponse, TransferError>) {
        let last = piece.flatMap { $0.count > 0 ? $0 : nil }
        piece = nil
        channel.finish(result, with: last, receivedBytes: wireBytes, requestCount: hopCount)
    }
}

// File-scope constants: a closure made in a main-actor context would check its isolation on the loop thread, and die.

private let headerCallback: larder_curl_data_callback = { bytes, size, count, exchange in
    guard let bytes, let exchange else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue().receiveHeaderLine(line) ? line.count : 0
}

private let bodyCallback: larder_curl_data_callback = { bytes, size, count, exchange in
    guard let bytes, let exchange else { return 0 }
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue().receiveBody(body)
}
