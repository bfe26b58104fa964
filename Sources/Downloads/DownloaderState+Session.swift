import Transfer

/// What becomes of the session that the tries share: it can't be changed once made, so another configuration means another session.
extension DownloaderState {
    /// Where the session is.
    enum SessionPhase: Hashable {
        case open
        /// It is coming to its end, and its tries with it. Nothing starts until the next one is there, which is made for this reason.
        case closing(RebuildReason?)
        /// There is none, and there will be none.
        case gone

        var isClosing: Bool { if case .closing = self { true } else { false } }
    }

    /// Takes another configuration, which is valid. What can change live does so: whatever runs above a lower limit runs on. For the rest the
    /// session is replaced; every try it carried ends `stopped`, and its download goes on in the next session, in its turn, before any other.
    mutating func reconfigure(_ new: DownloaderConfiguration, because reason: RebuildReason) -> [Action] {
        guard !isShutDown else { return [] }
        let old = configuration
        configuration = new
        queue.maximum = new.maximumTransfers
        queue.maximumPerHost = new.maximumTransfersPerHost
        // The next session is made with what is asked for last.
        guard session == .open else { return [] }
        if new.session.needsNewSession(after: old.session) { return closeSession(because: reason) }
        let limit = new.session.rateLimitBytesPerSecond
        let changes: [Action] = limit == old.session.rateLimitBytesPerSecond ? [] : [.setRateLimit(limit)]
        return changes + startQueued()
    }

    /// Takes another session for the same configuration.
    mutating func reconnect(because reason: RebuildReason) -> [Action] {
        isShutDown ? [] : closeSession(because: reason)
    }

    /// Lets the session come to its end, unless it already does.
    /// - Parameter reason: why another one follows; nil for none.
    mutating func closeSession(because reason: RebuildReason? = nil) -> [Action] {
        guard session == .open else { return [] }
        session = .closing(reason)
        return [.closeSession]
    }

    /// The session has ended.
    mutating func sessionClosed() -> [Action] {
        guard case .closing(let reason?) = session, !isShutDown else {
            session = .gone
            return []
        }
        session = .open
        sessionNumber = nextNumber()
        // The network may be reached in another way now: what couldn't be reached before may be.
        reputation.forgiveConnections()
        resumeStranded()
        return [.openSession(configuration.session), .announce(.sessionRebuilt(reason))] + startQueued()
    }

    // MARK: The network

    /// Notes whether there is a way out of the machine's own networks.
    mutating func setNetwork(isUsable: Bool) -> [Action] {
        hasNetwork = isUsable
        guard isUsable else { return [] }
        resumeStranded()
        return startQueued()
    }

    /// Lets a download wait for a network. Its patience is untouched.
    mutating func strand(_ id: DownloadID) -> [Action] {
        let isFirst = !downloads.values.contains { $0.isStranded }
        let alarm = nextNumber()
        downloads[id]?.phase = .stranded(alarm)
        downloads[id]?.isStranded = true
        // A name server, say, may come back without any change to the routes.
        let look = Action.setAlarm(id, alarm, after: .seconds(30))
        return isFirst ? [.announce(.waitingForNetwork), look] : [look]
    }

    private mutating func resumeStranded() {
        for (id, download) in downloads {
            downloads[id]?.isStranded = false
            if case .stranded = download.phase { enqueue(id) }
        }
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
