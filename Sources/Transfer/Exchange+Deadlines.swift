import Platform

/// How long the other side may take for what.
extension Exchange {
    /// The deadline that is broken, if any.
    func brokenDeadline() -> TransferError? {
        let configuration = loop.configuration
        if let whole = configuration.transferTimeout, loop.now - started >= whole {
            return .timedOut(.whole, after: whole)
        }
        // What we hold back ourselves is no silence of the server's.
        guard !isPaused else { return nil }
        if let error = brokenPhaseDeadline() { return error }
        let idle = configuration.idleTimeout
        if loop.now - lastActivity >= idle, let sent = handle.requestSentAfter,
            loop.now - max(lastActivity, hopStarted + sent) >= idle
        {
            return .timedOut(.idle, after: idle)
        }
        guard let minimum = configuration.minimumBytesPerSecond, let rateWindow else { return nil }
        let window = loop.now - rateWindow.started
        guard window >= idle else { return nil }
        if Double(rateWindow.bytes) / window.inSeconds < Double(minimum) { return .timedOut(.minimumRate, after: idle) }
        self.rateWindow = (loop.now, 0)
        return nil
    }

    /// Neither a head nor a body that nobody wants is waited for without end, however steadily it drips.
    private func brokenPhaseDeadline() -> TransferError? {
        switch phase {
        case .awaitingHead:
            let limit = loop.configuration.connectTimeout + loop.configuration.idleTimeout
            guard loop.now - hopStarted >= limit, let sent = handle.requestSentAfter,
                loop.now - (hopStarted + sent) >= limit
            else { return nil }
            return .timedOut(.head, after: limit)
        case .ignoringBody, .redirecting:
            let limit = Self.ignoredBodyLimit
            return loop.now - headCompleted >= limit ? .timedOut(.idle, after: limit) : nil
        case .receivingBody: return nil
        }
    }
}
