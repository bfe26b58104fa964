import Platform
import Transfer

/// What becomes of a download's tries: progress, failures and the end. Whatever a replaced try reports is dropped.
extension DownloaderState {
    /// How a try ended.
    enum AttemptEnd {
        case completed(Asset, sizeBytes: Int64, digest: SHA256Digest?)
        /// `heldBytes`: what a later try can go on with.
        case failed(AttemptFailure, heldBytes: Int64)
        /// It was stopped, or its session was closed; what it had is kept.
        case stopped
    }

    func isCurrent(_ attempt: AttemptID, _ id: DownloadID) -> Bool {
        guard case .running(attempt, _) = downloads[id]?.phase else { return false }
        return true
    }

    /// A try goes on where an earlier one had come to.
    mutating func attemptResumed(_ attempt: AttemptID, of id: DownloadID, offsetBytes: Int64) -> [Action] {
        guard isCurrent(attempt, id), var download = downloads[id] else { return [] }
        // What this very download fetched before it lost a connection was not saved by an earlier one.
        if !download.knowsSavings { statistics.resumedBytes += offsetBytes }
        download.knowsSavings = true
        download.progress.resumedFromBytes = offsetBytes
        download.progress.receivedBytes = offsetBytes
        downloads[id] = download
        return download.callers.map { .tell($0.token, .resumed(offsetBytes: offsetBytes)) }
    }

    /// Bytes of a try are on the disk.
    /// - Parameter source: who brought the last of them.
    mutating func attemptProgressed(
        _ attempt: AttemptID, of id: DownloadID, _ progress: DownloadProgress, from source: TransferURL
    ) -> [Action] {
        guard isCurrent(attempt, id), var download = downloads[id] else { return [] }
        // Of two connections the later one may be heard first.
        guard progress.receivedBytes >= download.attemptBytes else { return [] }
        download.attemptBytes = progress.receivedBytes
        download.knowsSavings = true
        download.isStranded = false
        download.progress = progress
        download.sources.note(heldBytes: progress.receivedBytes, from: source)
        reputation.noteDelivery(from: source)
        let isNew = source != download.sources.current && download.delivering.insert(source).inserted
        downloads[id] = download
        var actions: [Action] = isNew ? shareConnections() : []
        var progress = progress
        for caller in download.callers {
            if let budget = caller.request.budgetBytes, max(progress.receivedBytes, progress.totalBytes ?? 0) > budget {
                let error = DownloadError(.overBudget, "the asset is over the \(budget) bytes allowed for it")
                actions += [.answer(caller.token, .failure(error))] + drop(caller.token)
            } else {
                actions.append(.tell(caller.token, .progress(progress)))
                progress.isShared = true
            }
        }
        return actions
    }

    /// A try is over.
    mutating func attemptEnded(_ attempt: AttemptID, of id: DownloadID, _ end: AttemptEnd) -> [Action] {
        guard isCurrent(attempt, id), let download = downloads[id] else {
            // Nobody waits for what a replaced try brings, but it is there.
            if case .completed(let asset, _, _) = end { return [.keep(asset)] }
            return []
        }
        queue.release(id)
        releaseConnections(of: id)
        return conclude(download, end) + startQueued()
    }

    private mutating func conclude(_ download: Download, _ end: AttemptEnd) -> [Action] {
        switch end {
        case .completed(let asset, let size, let digest): return complete(download, asset, size, digest)
        case .stopped:
            // Nobody asked for it: it had to go with its session.
            if case .running(_, isStopping: false) = download.phase {
                interrupt(download.id)
            } else {
                carryOn(download.id)
            }
            return []
        case .failed(let failure, let held):
            reputation.note(failure, at: download.sources.current)
            guard !download.callers.isEmpty else {
                forget(download.id)
                return []
            }
            return failure.error.code == .overBudget
                ? failOverBudget(download, failure) : fail(download, failure, heldBytes: held)
        }
    }

    private mutating func complete(
        _ download: Download, _ asset: Asset, _ size: Int64, _ digest: SHA256Digest?
    ) -> [Action] {
        forget(download.id)
        if let suspect = download.rangeSuspect, suspect == download.sources.current, digest == download.digest {
            reputation.noteFalseRanges(of: suspect)
        }
        if download.callers.isEmpty { return [.keep(asset)] }
        var actions: [Action] = []
        var served: Int64 = 0
        for caller in download.callers {
            let error = caller.judge(sizeBytes: size, digest: digest)
            if error?.code == .digestMismatch, caller.request.digest != download.digest {
                // It only shared the URL. Its own mirrors may have what it knows the digest of.
                actions += admit(caller)
                continue
            }
            if error == nil { served += 1 }
            actions.append(.answer(caller.token, error.map { .failure($0) } ?? .success(asset)))
        }
        statistics.coalescedBytes += size * max(0, served - 1)
        return actions
    }

    /// After a stop: whoever asked meanwhile gets the download going again at the byte it had reached.
    private mutating func carryOn(_ id: DownloadID) {
        guard let download = downloads[id], !download.callers.isEmpty else { return forget(id) }
        downloads[id]?.knowsSavings = false
        enqueue(id)
    }

    /// After the end of its session a download waits for the next one, ahead of all that never ran. Its patience is untouched, and what it
    /// goes on with was saved by nobody else.
    private mutating func interrupt(_ id: DownloadID) {
        downloads[id]?.isInterrupted = true
        enqueue(id)
    }

    private mutating func fail(_ download: Download, _ failure: AttemptFailure, heldBytes: Int64) -> [Action] {
        var download = download
        download.sources.note(heldBytes: heldBytes, from: download.sources.current)
        if failure.remedy == .restart { download.maySplit = false }
        if failure.remedy == .restartAfterOthers { download.plainSources.insert(download.sources.current) }
        if failure.isOfRanges, download.delivering.isEmpty { download.rangeSuspect = download.sources.current }
        if failure.error.code == .rangeIgnored { download.rangeIgnored = failure }
        if failure.error.code == .creditSpent { download.creditSpent = failure }
        var policy = configuration.retry
        if let retries = download.request.retries { policy.retries = retries }
        let next = download.sources.next(
            after: failure, isBound: heldBytes > 0 && download.digest == nil, policy: policy,
            isOffline: !hasNetwork && !download.request.failsWithoutNetwork, using: &generator)
        downloads[download.id] = download
        switch next {
        // Where one has no part to give it may have the whole, whatever the others fail for; and so it may once more may be received.
        case .giveUp:
            return giveUp(
                download,
                failure.remedy == .giveUp ? failure : download.creditSpent ?? download.rangeIgnored ?? failure)
        case .waitForNetwork:
            // What it couldn't reach in a session that is gone it may reach in this one.
            if case .running(let attempt, _) = download.phase, attempt.number < sessionNumber {
                interrupt(download.id)
                return []
            }
            return strand(download.id)
        case .tryAgain(let delay):
            let told: [Action] = download.callers.map { .tell($0.token, .retrying(failure.error, after: delay)) }
            guard delay > .zero else {
                enqueue(download.id)
                return told
            }
            let alarm = nextNumber()
            downloads[download.id]?.phase = .resting(alarm)
            return told + [.setAlarm(download.id, alarm, after: delay)]
        }
    }

    /// Answers those whom the failure concerns. Whoever was only in the same boat asks anew, without what the others knew.
    private mutating func giveUp(_ download: Download, _ failure: AttemptFailure) -> [Action] {
        forget(download.id)
        var actions: [Action] = []
        for caller in download.callers {
            let isMeant = caller.isMeant(by: failure, of: download)
            actions += isMeant ? [.answer(caller.token, .failure(failure.error))] : admit(caller)
        }
        return actions
    }

    /// The try was cut at the largest budget its callers had then. Who joined later with a larger one is not hurt by that.
    private mutating func failOverBudget(_ download: Download, _ failure: AttemptFailure) -> [Action] {
        var actions: [Action] = []
        for caller in download.callers {
            guard let budget = caller.request.budgetBytes, budget <= failure.budgetBytes ?? .max else { continue }
            actions.append(.answer(caller.token, .failure(failure.error)))
            byToken[caller.token] = nil
            downloads[download.id]?.callers.removeAll { $0.token == caller.token }
        }
        carryOn(download.id)
        return actions
    }

    /// A delay is over.
    mutating func wake(_ id: DownloadID, alarm: UInt64) -> [Action] {
        guard [.resting(alarm), .stranded(alarm)].contains(downloads[id]?.phase) else { return [] }
        enqueue(id)
        return startQueued()
    }

    /// Notes what went over the wire.
    mutating func note(receivedBytes: Int64, requestCount: Int) {
        statistics.fetchedBytes += receivedBytes
        statistics.requestCount += requestCount
    }
}
