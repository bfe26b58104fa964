import Jobs

/// What the live display knows: put together from a run's events.
struct ProgressModel {
    struct Transfer {
        /// Tells it from others, whatever URL it is at.
        fileprivate let number: Int?
        let name: String
        /// Whether its bytes are those of another transfer that is shown.
        fileprivate(set) var isShared = false
        fileprivate(set) var received: Int64 = 0
        fileprivate(set) var total: Int64?
        fileprivate(set) var bytesPerSecond: Int64?
    }

    /// How much of a bundle's segments is here.
    struct Segments {
        /// As `manifest/bundle`.
        fileprivate let key: String
        let name: String
        fileprivate(set) var figures: SegmentFigures
    }

    /// Of the bundles whose segments are being fetched, in the order in which they began.
    private(set) var segments: [Segments] = []
    /// The running transfers, oldest first.
    private(set) var transfers: [Transfer] = []
    private(set) var bundleCount = 0
    /// Bundles, as `manifest/bundle`, that aren't here yet and haven't failed.
    private var pendingBundles: Set<String> = []
    private var plannedBytes: Int64 = 0
    /// Bytes of transfers that have ended.
    private var endedBytes: Int64 = 0

    mutating func take(_ event: RunEvent) {
        let bundle = "\(event.manifest ?? "")/\(event.bundle ?? "")"
        switch event.kind {
        case .bundlePlanned(let state, let bytes):
            bundleCount += 1
            plannedBytes.addClamped(bytes)
            if state != .unchanged { pendingBundles.insert(bundle) }
        case .segmentProgress(let figures):
            if let index = segments.firstIndex(where: { $0.key == bundle }) {
                segments[index].figures = figures
            } else {
                segments.append(Segments(key: bundle, name: event.bundle ?? "", figures: figures))
            }
        case .bundleVerified, .bundlePublished, .bundleFailed, .optionalBundleFailed:
            pendingBundles.remove(bundle)
            segments.removeAll { $0.key == bundle }
        case .transferStarted: begin(event)
        case .transferCoalesced:
            begin(event)
            update(event) { $0.isShared = true }
        case .transferResumed(let offset): update(event) { $0.received = offset }
        case .transferProgress(let received, let total, let rate):
            update(event) { transfer in
                (transfer.received, transfer.total) = (received, total)
                transfer.bytesPerSecond = rate ?? transfer.bytesPerSecond
            }
        case .transferRetrying: update(event) { $0.bytesPerSecond = nil }
        case .transferFinished(let bytes):
            endedBytes.addClamped(bytes)
            transfers.removeAll { $0.number == event.transfer }
        case .transferFailed, .transferPaused: transfers.removeAll { $0.number == event.transfer }
        default: break
        }
    }

    private mutating func begin(_ event: RunEvent) {
        guard !transfers.contains(where: { $0.number == event.transfer }) else { return }
        let file = event.url?.split(separator: "/").last.map(String.init) ?? ""
        let name = event.bundle.map { "\($0)  \(file)" } ?? file
        transfers.append(Transfer(number: event.transfer, name: name))
    }

    private mutating func update(_ event: RunEvent, _ change: (inout Transfer) -> Void) {
        guard let index = transfers.firstIndex(where: { $0.number == event.transfer }) else { return }
        change(&transfers[index])
    }

    var endedBundles: Int { bundleCount - pendingBundles.count }

    var receivedBytes: Int64 { transfers.reduce(endedBytes) { $0.addingClamped($1.received) } }

    /// All bytes of the run as far as they are known; at least what has come in.
    var totalBytes: Int64 {
        // A single fetch has no plan, but a server that says how much there is.
        let announced = transfers.reduce(endedBytes) { $0.addingClamped($1.total ?? $1.received) }
        return max(plannedBytes, announced, receivedBytes)
    }

    var bytesPerSecond: Int64 {
        transfers.reduce(0) { $1.isShared ? $0 : $0.addingClamped($1.bytesPerSecond ?? 0) }
    }
}
