import Platform
import Transfer

/// What the requests of a try bring: the first reply's head, and the bytes of all of them.
extension DownloadAttempt {
    /// The first reply has been judged, and its body is about to come.
    func begin(_ verdict: ResponseVerdict, _ response: TransferResponse, _ writer: PartialWriter) throws(AttemptFailure)
    {
        self.response = response
        if case .fresh = verdict, !writer.partial.isAlone {
            // The next try begins with a file of its own: what has another name stays as it is.
            throw AttemptFailure(.changedWhileDownloading, "what is held is of another version", .restart)
        }
        try checkRoom(verdict, writer)
        do throws(SystemError) {
            switch verdict {
            case .append(let total): try goOn(totalBytes: total, response, writer)
            case .alreadyWhole: try goOn(totalBytes: writer.found.contiguousBytes, response, writer)
            case .fresh(let total):
                try writer.startAnew(response, totalBytes: total)
                let maySplit = maySplit(response, writer)
                decide { board in
                    board.startAnew(
                        totalBytes: total, isToldLength: response.contentLengthBytes != nil, maySplit: maySplit)
                    return []
                }
            case .fail: break
            }
        } catch {
            throw AttemptFailure(error)
        }
    }

    private func goOn(totalBytes: Int64?, _ response: TransferResponse, _ writer: PartialWriter) throws(SystemError) {
        report(.resumed(offsetBytes: writer.found.countBytes))
        try writer.goOn(totalBytes: totalBytes)
        let maySplit = maySplit(response, writer)
        decide { board in
            board.goOn(totalBytes: totalBytes, maySplit: maySplit)
            return []
        }
    }

    /// Whether ranges of the asset can be fetched beside each other: the server does them (RFC 9110 §14.3), and something shows whether they are
    /// of one version.
    private func maySplit(_ response: TransferResponse, _ writer: PartialWriter) -> Bool {
        let doesRanges = response.status == 206 || response.headers["Accept-Ranges"]?.lowercased() == "bytes"
        return doesRanges && writer.record?.canBeResumed == true
    }

    /// Bytes of a connection's request, on one of the session's writer threads.
    func receive(_ body: UnsafeRawBufferPointer, on id: ConnectionID, into writer: PartialWriter) throws {
        guard let (share, excess) = reserve(body.count, on: id) else { return }
        if let excess { throw excess }
        guard share.countBytes > 0 else { return decide { board in board.overflowed(id) } }
        let bytes = UnsafeRawBufferPointer(rebasing: body[..<Int(share.countBytes)])
        try writer.write(bytes, at: share.position)
        guard let (held, progress, source, steps) = commit(id) else { return }
        // What came twice counts once.
        try checkBudget(held.countBytes)
        writer.digest?.take(bytes, at: share.position, contiguousBytes: held.contiguousBytes)
        let isEndWanted = try writer.didWrite(share.countBytes, held: held)
        report(.progress(progress, from: source))
        let wishes = isEndWanted ? steps + wishForEnd(writer) : steps
        if wishes.contains(where: \.wantsMore) { try writer.prepareForHoles(held: held) }
        carryOut(wishes)
    }

    /// Lets the asset's end come ahead of its turn. Only where a validator that means something to this source shows that it is of the same version:
    /// a digest would tell when all is here, and the end is read at once.
    private func wishForEnd(_ writer: PartialWriter) -> [SegmentBoard.Step] {
        guard writer.resumePoint(at: 0, from: plan.url).condition != nil else { return [] }
        return stage.withLock { stage in stage.transferring?.decide(for: self) { $0.wantEnd() } ?? [] }
    }

    private func reserve(_ count: Int, on id: ConnectionID) -> (SegmentPlan.Share, excess: AttemptFailure?)? {
        stage.withLock { stage in
            guard let share = stage.transferring?.board.reserve(id, countBytes: count) else { return nil }
            return (share, share.isPastTheEnd ? stage.transferring?.board.excess : nil)
        }
    }

    private func commit(_ id: ConnectionID) -> (ByteRangeSet, DownloadProgress, TransferURL, [SegmentBoard.Step])? {
        stage.withLock { stage in
            stage.transferring?.commit(id, for: self)
        }
    }

    /// A request is over, and nothing more comes of it.
    func requestEnded(on id: ConnectionID, _ outcome: TransferOutcome, _ end: SegmentBoard.RequestEnd) {
        report(.traffic(receivedBytes: outcome.receivedBytes, requestCount: outcome.requestCount))
        decide { board in board.ended(id, end) }
    }

    /// The session keeps the budget of what it fetches itself; what was held before counts too.
    func checkBudget(_ bytes: Int64) throws(AttemptFailure) {
        if let budget = plan.budgetBytes, bytes > budget {
            throw AttemptFailure(TransferError.overBudget(limitBytes: budget))
        }
    }
}

extension DownloadAttempt.Transferring {
    /// Notes that a connection's bytes are written.
    /// - Returns: what is held now, how far that is, who brought the bytes, and what is to be done.
    fileprivate mutating func commit(
        _ id: ConnectionID, for attempt: DownloadAttempt
    ) -> (ByteRangeSet, DownloadProgress, TransferURL, [SegmentBoard.Step]) {
        let steps = decide(for: attempt) { $0.commit(id) }
        let held = board.plan.held
        let received = held.countBytes
        return (
            held,
            DownloadProgress(
                receivedBytes: received, totalBytes: board.plan.totalBytes, resumedFromBytes: board.resumedBytes,
                bytesPerSecond: rate.note(received)),
            board.source(of: id), steps
        )
    }
}
