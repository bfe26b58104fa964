import Transfer

/// What becomes of the session that the tries share: it can't be changed once made, so another configuration means another session.
extension DownloaderState {
    /// Where the session is.
    enum SessionPhase: Hashable {
        case open
        /// It is coming to its end, and its tries with it. Nothing starts until the next one is there.
        case closing
        /// There is none, and there will be none.
        case gone
    }

    /// Takes another configuration, which is valid. What can change live does so: whatever runs above a lower limit runs on. For the rest the
    /// session is replaced; every try it carried ends `stopped`, and its download goes on in the next session, in its turn, before any other.
    mutating func reconfigure(_ new: DownloaderConfiguration) -> [Action] {
        guard !isShutDown else { return [] }
        let old = configuration
        configuration = new
        queue.maximum = new.maximumTransfers
        queue.maximumPerHost = new.maximumTransfersPerHost
        // The next session is made with what is asked for last.
        guard session == .open else { return [] }
        if new.session.needsNewSession(after: old.session) { return closeSession() }
        let limit = new.session.rateLimitBytesPerSecond
        let changes: [Action] = limit == old.session.rateLimitBytesPerSecond ? [] : [.setRateLimit(limit)]
        return changes + startQueued()
    }

    /// Lets the session come to its end, unless it already does.
    mutating func closeSession() -> [Action] {
        guard session == .open else { return [] }
        session = .closing
        return [.closeSession]
    }

    /// The session has ended.
    mutating func sessionClosed() -> [Action] {
        guard !isShutDown else {
            session = .gone
            return []
        }
        session = .open
        // The network may be reached in another way now: what couldn't be reached before may be.
        reputation.forgiveConnections()
        return [.openSession(configuration.session), .announce(.sessionRebuilt)] + startQueued()
    }
}

extension SessionConfiguration {
    /// Whether a session of another configuration can't be changed into one of this.
    fileprivate func needsNewSession(after other: SessionConfiguration) -> Bool {
        var other = other
        other.rateLimitBytesPerSecond = rateLimitBytesPerSecond
        return self != other
    }
}
