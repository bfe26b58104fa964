import Jobs

/// What the live display knows: put together from a run's events.
struct ProgressModel {
    struct Transfer {
        let name: String
        var received: Int64 = 0
        var total: Int64?
        var bytesPerSecond: Int64?
    }

    /// The running transfers, oldest first.
    private(set) var transfers: [(key: String, transfer: Transfer)] = []
    private(set) var bundleCount = 0
    private(set) var endedBundles = 0
    private var plannedBytes: Int64 = 0
    /// Bytes of transfers that have ended.
    private var endedBytes: Int64 = 0

    mutating func take(_ event: RunEvent) {
        let key = "\(event.manifest ?? "")/\(event.bundle ?? "")/\(event.url ?? "")"
        switch event.kind {
        case .bundlePlanned(let bytes):
            bundleCount += 1
            let (sum, overflow) = plannedBytes.addingReportingOverflow(bytes)
            plannedBytes = overflow ? .max : sum
            if bytes == 0 { endedBundles += 1 }
        case .transferStarted, .transferCoalesced:
            guard !transfers.contains(where: { $0.key == key }) else { return }
            transfers.append((key, Transfer(name: Self.name(event))))
        case .transferResumed(let offset): update(key) { $0.received = offset }
        case .transferProgress(let received, let total, let rate):
            update(key) { transfer in
                (transfer.received, transfer.total) = (received, total)
                transfer.bytesPerSecond = rate ?? transfer.bytesPerSecond
            }
        case .transferFinished(let bytes):
            endedBytes += bytes
            transfers.removeAll { $0.key == key }
        case .transferFailed, .transferPaused: transfers.removeAll { $0.key == key }
        case .bundlePublished, .bundleFailed: endedBundles += 1
        default: break
        }
    }

    private mutating func update(_ key: String, _ change: (inout Transfer) -> Void) {
        guard let index = transfers.firstIndex(where: { $0.key == key }) else { return }
        change(&transfers[index].transfer)
    }

    private static func name(_ event: RunEvent) -> String {
        let file = event.url?.split(separator: "/").last.map(String.init) ?? ""
        return event.bundle.map { "\($0)  \(file)" } ?? file
    }

    var receivedBytes: Int64 { transfers.reduce(endedBytes) { $0 + $1.transfer.received } }

    /// All bytes of the run as far as they are known; at least what has come in.
    var totalBytes: Int64 { max(plannedBytes, receivedBytes) }

    var bytesPerSecond: Int64 { transfers.reduce(0) { $0 + ($1.transfer.bytesPerSecond ?? 0) } }
}
