import Transfer

@testable import Downloads

/// What the model knows of a connection that a try has beyond its first.
struct ModelConnection {
    let attempt: AttemptID
    let source: TransferURL
    var isClosing = false
}

/// Further connections: they come only where nobody waits for their place, and go when somebody does.
extension DownloaderModel {
    var placeCount: Int { live.count + connections.count }

    var placesPerHost: [String: Int] {
        let hosts = live.values.map(\.plan.url.host) + connections.values.map(\.source.host)
        return hosts.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    mutating func wantConnections() {
        guard let id = pickLive(), let current = live[id] else { return }
        let count = Int.random(in: 0...4, using: &generator)
        note("\(id.number) wants \(count) connections")
        lastWant += 1
        carryOut(state.attemptWants(id, of: current.plan.download, connections: count, number: lastWant))
    }

    mutating func endConnection() {
        let ids = connections.keys.sorted { $0.number < $1.number }
        guard let id = ids.randomElement(using: &generator), let ended = connections.removeValue(forKey: id) else {
            return
        }
        note("the end of connection \(id.number)")
        let failure: AttemptFailure? =
            Bool.random(using: &generator) ? nil : AttemptFailure(.transportFailure, "lost", .retry)
        let before = Set(connections.keys)
        carryOut(state.connectionEnded(id, failure))
        let isAgain = connections.contains {
            !before.contains($0.key) && $0.value.attempt == ended.attempt && $0.value.source == ended.source
        }
        check(failure == nil || !isAgain, "another connection to a source that can't have one")
    }

    mutating func carryOutForConnections(_ action: State.Action) {
        switch action {
        case .open(let id, let attempt, let source, _):
            note("connection \(id.number) of \(attempt.number)")
            guard let current = live[attempt] else {
                return violations.append("a connection of a try that doesn't run")
            }
            check(connections[id] == nil, "a connection's name was used twice")
            check(!current.isStopped && session.isOpen, "a connection of a try that comes to its end")
            checkPlace(at: source.host)
            connections[id] = ModelConnection(attempt: attempt, source: source)
            let own = 1 + connections.values.count { $0.attempt == attempt }
            check(own <= state.configuration.split.maximumConnections ?? .max, "\(own) connections of one try")
        case .close(let id, _):
            check(connections[id]?.isClosing == false, "a connection that isn't there, or goes already, was closed")
            connections[id]?.isClosing = true
        default: break
        }
    }

    private mutating func checkPlace(at host: String) {
        let limits = state.configuration
        check(placeCount < limits.maximumTransfers, "a connection too many in all")
        check(placesPerHost[host] ?? 0 < limits.maximumTransfersPerHost, "a connection too many to \(host)")
        let passedOver = state.downloads.values.filter {
            $0.phase == .queued && placesPerHost[$0.sources.current.host] ?? 0 < limits.maximumTransfersPerHost
        }
        check(passedOver.isEmpty, "a connection went before a waiting download")
    }

    /// Whoever waits for a place that a further connection has sees it go.
    mutating func checkConnections() {
        check(Set(connections.keys) == Set(state.connections.keys), "connections are counted wrongly")
        guard session.isOpen, state.session == .open, !connections.isEmpty else { return }
        let limits = state.configuration
        let isFull = placeCount >= limits.maximumTransfers
        let (perHost, ofConnections) = (placesPerHost, Set(connections.values.map(\.source.host)))
        let isWaitedFor = state.downloads.values.contains { download in
            guard download.phase == .queued else { return false }
            let host = download.sources.current.host
            return perHost[host] ?? 0 >= limits.maximumTransfersPerHost ? ofConnections.contains(host) : isFull
        }
        check(!isWaitedFor || connections.values.contains(where: \.isClosing), "a connection stays in the way")
    }
}
