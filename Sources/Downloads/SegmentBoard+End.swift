import Transfer

/// What becomes of a connection whose request is over, and of the whole.
extension SegmentBoard {
    /// A request that brought less before it was lost isn't sent again at once.
    private static let worthwhileBytes: Int64 = 64 << 10

    /// How a request ended.
    enum RequestEnd {
        case complete(BodyEnd)
        case cancelled
        /// `isFatal`: whatever the others bring, it can't be helped.
        case failed(AttemptFailure, isFatal: Bool)
    }

    /// What the end of a body says of the end of the asset.
    enum BodyEnd {
        /// It is that.
        case whole
        /// The body was a part, behind which there may be more.
        case part
        /// The connection was closed, which proves nothing.
        case connection

        init(of response: TransferResponse?) {
            self = response?.status == 206 ? .part : response?.framing == .close ? .connection : .whole
        }
    }

    /// A connection's request is over, and nothing more comes of it.
    mutating func ended(
        _ id: ConnectionID, _ end: RequestEnd, now: ContinuousClock.Instant = .now
    ) -> [Step] {
        guard let connection = connections[id] else { return [] }
        let segment = plan.segment(of: id)
        plan.release(id)
        overtaken.removeAll { $0 == id }
        var failure: AttemptFailure?
        switch end {
        case .cancelled where connection.isCut || connection.isLeaving: break
        case .cancelled: isStopping = true
        case .failed(_, isFatal: false) where connection.isCut: break
        case .failed(let cause, let isFatal):
            failure = cause
            if isFatal { fatalFailure = fatalFailure ?? cause }
        case .complete(let bodyEnd): failure = shortfall(segment, bodyEnd)
        }
        // Beside others a connection that brought a good deal is not given up for being lost: there is more where that came from.
        if failure?.remedy == .retry, connection.requestBytes >= min(Self.worthwhileBytes, plan.minimumBytes / 2),
            connections.count > 1
        {
            failure = nil
        }
        return followUp(id, connection.isLeaving || connection.isForEnd, failure, now)
    }

    private mutating func followUp(
        _ id: ConnectionID, _ isLeaving: Bool, _ failure: AttemptFailure?, _ now: ContinuousClock.Instant
    ) -> [Step] {
        if isEnding { return leave(id, failure) + cutAll() }
        if id == .first { firstFailure = failure.map { ($0, false) } }
        if failure == nil, !isLeaving { return goOn(id, now: now) + wakeFirst(now) }
        // Before the last one goes, so that it isn't the end.
        connections[id]?.isLeaving = true
        let awake = wakeFirst(now)
        return awake + leave(id, failure)
    }

    /// What came back to be fetched by somebody is the first connection's, if it has nothing to do. Where it had failed, it is tried again once
    /// nobody else is left, if others have brought bytes meanwhile: it may have been a passing failure.
    private mutating func wakeFirst(_ now: ContinuousClock.Instant) -> [Step] {
        guard !isOver, connections[.first] == nil, plan.hasFreeWork else { return [] }
        if let firstFailure {
            guard firstFailure.isStale, firstFailure.cause.remedy == .retry,
                !connections.values.contains(where: { !$0.isLeaving })
            else { return [] }
        }
        firstFailure = nil
        connections[.first] = Connection(url: url, requestEnd: 0)
        return goOn(.first, now: now)
    }

    /// What is missing where a reply ended as if it were complete.
    private mutating func shortfall(
        _ segment: (position: Int64, end: Int64)?, _ bodyEnd: BodyEnd
    ) -> AttemptFailure? {
        guard let segment, segment.position < segment.end else { return nil }
        if let total = plan.totalBytes {
            if !isToldLength, bodyEnd == .whole { return otherSize("\(segment.position)") }
            return AttemptFailure(
                .transportFailure, "the connection was closed after \(segment.position) of \(total) bytes", .retry)
        }
        guard bodyEnd != .part else {
            return AttemptFailure(
                .transportFailure,
                "the server sent a part (206) up to byte \(segment.position), and doesn't say what follows", .retry)
        }
        plan.setTotal(segment.position)
        hasGuessedLength = true
        return nil
    }

    /// What it means that more came than the asset has.
    var excess: AttemptFailure {
        let total = plan.totalBytes ?? 0
        guard isToldLength else { return otherSize("more") }
        return AttemptFailure(
            .invalidResponse, "the server sent more than the \(total) bytes it declared", .restart)
    }

    /// It would be no other the next time: what the server has isn't what was asked for.
    private func otherSize(_ bytes: String) -> AttemptFailure {
        AttemptFailure(
            .sizeMismatch, "the server sends \(bytes) where \(plan.totalBytes ?? 0) bytes were asked for", .nextSource)
    }

    // MARK: The whole

    /// How the try has ended, once nothing is under way.
    enum Outcome {
        /// Every byte is here, as far as the wire can tell.
        case completed
        case failed(AttemptFailure)
        case stopped
    }

    var outcome: Outcome {
        if let fatalFailure { return .failed(fatalFailure) }
        if hasBegun, plan.isComplete { return .completed }
        if let firstFailure, !isStopping { return .failed(firstFailure.cause) }
        return .stopped
    }
}
