import Platform

/// Which connections are so slow that another one would have their rest sooner.
extension SegmentBoard {
    /// The connection that takes longest for what it is still to bring, if another one, asked now, would bring it in half that time.
    func tooSlow(_ now: ContinuousClock.Instant) -> ConnectionID? {
        guard maySplit, !isEnding else { return nil }
        let times = connections.compactMap { id, connection -> (id: ConnectionID, seconds: Double, bytes: Int64)? in
            let bytes = plan.remainingBytes(of: id)
            guard bytes > 0, !connection.isCut, !connection.isLeaving else { return nil }
            return time(of: connection, for: bytes, now).map { (id, $0, bytes) }
        }
        guard let slowest = times.max(by: { ($0.seconds, $1.id.number) < ($1.seconds, $0.id.number) }),
            let anew = pace.time(for: slowest.bytes),
            slowest.seconds > 2 * anew.inSeconds + policy.reviewTime.inSeconds
        else { return nil }
        return slowest.id
    }

    /// How many seconds a connection takes for its rest; nil for one that can't be judged yet. Nothing may be expected of one that was asked no
    /// longer ago than it took others to begin.
    private func time(of connection: Connection, for bytes: Int64, _ now: ContinuousClock.Instant) -> Double? {
        let waited = now - connection.askedAt
        if let begun = connection.begun {
            return now - begun >= policy.reviewTime ? connection.time(for: bytes, now) : nil
        }
        return waited >= pace.requestTime * 2 + policy.reviewTime ? .infinity : nil
    }

    /// Once there is nothing to do for one more, whether that stays so is only seen by looking again: what has become slow tells nothing.
    mutating func reviewLater() -> [Step] {
        guard maySplit, !isEnding, !isOver, !isReviewDue,
            connections.keys.contains(where: { plan.remainingBytes(of: $0) > 0 })
        else { return [] }
        isReviewDue = true
        return [.review(after: policy.reviewTime)]
    }

    /// Looks whether some connection has become slow.
    mutating func review(now: ContinuousClock.Instant = .now) -> [Step] {
        isReviewDue = false
        return wants(mayRise: true, now: now) + reviewLater()
    }
}
