import Transfer

/// A connection that a running try has beyond its first.
struct FurtherConnection {
    let download: DownloadID
    let attempt: AttemptID
    let source: TransferURL
    /// Whether it was told to go.
    var isClosing = false
}

/// Which running downloads may have more than one connection. Whoever waits goes before them: a place is theirs only while nobody else could
/// have it, and they give it back when somebody can.
extension DownloaderState {
    /// A try could use so many further connections.
    /// - Parameter number: rises with each time the try decides; what was decided earlier may be told later, and is dropped.
    mutating func attemptWants(
        _ attempt: AttemptID, of id: DownloadID, connections count: Int, number: UInt64
    ) -> [Action] {
        guard isCurrent(attempt, id), number > wantedConnections[id]?.number ?? 0 else { return [] }
        wantedConnections[id] = (count, number)
        return shareConnections()
    }

    /// A try could use one more connection, to the source that it has begun with and for a moment. It is of use now or never.
    mutating func attemptWantsEnd(_ attempt: AttemptID, of id: DownloadID) -> [Action] {
        guard session == .open, isCurrent(attempt, id), let download = downloads[id], download.maySplit,
            !download.unsplittable.contains(download.sources.current), reputation.hasRanges(download.sources.current),
            connections.values.count(where: { $0.download == id }) + 1 < configuration.split.maximumConnections ?? .max
        else { return [] }
        return [addConnection(to: download.sources.current, for: attempt, of: id, isForEnd: true)].compactMap(\.self)
    }

    /// - Returns: nil when there is no place for it.
    private mutating func addConnection(
        to source: TransferURL, for attempt: AttemptID, of id: DownloadID, isForEnd: Bool = false
    ) -> Action? {
        guard queue.addConnection(to: source.host) else { return nil }
        let connection = ConnectionID(number: nextNumber())
        connections[connection] = FurtherConnection(download: id, attempt: attempt, source: source)
        return .open(connection, attempt, source, isForEnd: isForEnd)
    }

    /// A further connection is gone.
    /// - Parameter failure: why its source can't have another one; nil when it can.
    mutating func connectionEnded(_ connection: ConnectionID, _ failure: AttemptFailure?) -> [Action] {
        guard let ended = connections.removeValue(forKey: connection) else { return [] }
        queue.releaseConnection(to: ended.source.host)
        if let failure {
            reputation.note(failure, at: ended.source)
            downloads[ended.download]?.unsplittable.insert(ended.source)
            if failure.remedy != .retry { downloads[ended.download]?.foreign.insert(ended.source) }
        }
        return startQueued()
    }

    /// A try has ended, and its further connections with it.
    mutating func releaseConnections(of id: DownloadID) {
        wantedConnections[id] = nil
        for (connection, further) in connections where further.download == id {
            connections[connection] = nil
            queue.releaseConnection(to: further.source.host)
        }
    }

    /// Hands out the places that nobody else can have, and takes back those that somebody can.
    mutating func shareConnections() -> [Action] {
        guard session == .open else { return [] }
        return closeConnections() + openConnections()
    }

    private mutating func openConnections() -> [Action] {
        guard !wantedConnections.isEmpty else { return [] }
        let wanting = wantedConnections.keys.compactMap { downloads[$0] }
            .sorted { ($1.priority, $0.id.number) < ($0.priority, $1.id.number) }
        var actions: [Action] = []
        for download in wanting {
            while let action = openConnection(of: download) { actions.append(action) }
        }
        return actions
    }

    private mutating func openConnection(of download: Download) -> Action? {
        guard case .running(let attempt, isStopping: false) = download.phase, download.maySplit,
            !isAtRateLimit(download)
        else { return nil }
        let own = connections.values.filter { $0.download == download.id }
        let limit = configuration.split.maximumConnections ?? .max
        guard own.count < wantedConnections[download.id]?.count ?? 0, own.count + 1 < limit else { return nil }
        // The load is spread evenly over the sources, the preferred ones first.
        func load(_ source: TransferURL) -> Int {
            own.count { $0.source == source } + (source == download.sources.current ? 1 : 0)
        }
        let sources = download.sources.usable.filter {
            let isTried = $0 == download.sources.current || download.delivering.contains($0)
            // Of one that may have something else no more than one head is asked for at a time.
            return !download.unsplittable.contains($0) && !download.foreign.contains($0) && !reputation.isDoubtful($0)
                && reputation.hasRanges($0) && (isTried || load($0) == 0)
        }
        for (_, source) in sources.enumerated().sorted(by: { (load($0.1), $0.0) < (load($1.1), $1.0) }) {
            if let action = addConnection(to: source, for: attempt, of: download.id) { return action }
        }
        return nil
    }

    /// Whether the session's own limit, rather than the way to the server, sets a download's pace.
    private func isAtRateLimit(_ download: Download) -> Bool {
        guard let limit = configuration.session.rateLimitBytesPerSecond else { return false }
        return download.progress.bytesPerSecond ?? 0 >= limit / 2
    }

    /// One after the other: with each that is gone it is seen anew who is in the way.
    private mutating func closeConnections() -> [Action] {
        guard !connections.isEmpty, !connections.values.contains(where: \.isClosing) else { return [] }
        // Those that were opened last have the least to lose.
        for (id, connection) in connections.sorted(by: { $0.key.number > $1.key.number }) {
            let own = connections.values.count { $0.download == connection.download }
            guard
                own + 1 > configuration.split.maximumConnections ?? .max
                    || queue.isInTheWay(connection.source.host)
            else { continue }
            connections[id]?.isClosing = true
            return [.close(id, connection.attempt)]
        }
        return []
    }
}
