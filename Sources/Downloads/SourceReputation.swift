import Transfer

/// What the downloads of one downloader have learned about origins: the next ones ask others first. Nobody is excluded for good, since there may
/// be nobody else.
struct SourceReputation {
    /// Why an origin is asked last.
    enum Fault: Hashable {
        /// No connection to it. Forgiven as soon as bytes come from it again.
        case unreachable
        /// Its certificate or its TLS was refused.
        case insecure
        /// It delivered, as a whole, bytes with another digest.
        case wrongBytes
    }

    private var faults: [TransferURL.Origin: Fault] = [:]
    /// Those that send the whole right, and ranges of it wrong.
    private var falseRanges: Set<TransferURL.Origin> = []

    /// Notes what a failure at `url` says of its origin.
    mutating func note(_ failure: AttemptFailure, at url: TransferURL) {
        guard let fault = failure.fault else { return }
        // Only the milder fault can be forgiven, so it doesn't hide the other ones.
        if fault != .unreachable || faults[url.origin] == nil { faults[url.origin] = fault }
    }

    /// Notes that bytes came from `url`.
    mutating func noteDelivery(from url: TransferURL) {
        if !faults.isEmpty, faults[url.origin] == .unreachable { faults[url.origin] = nil }
    }

    /// Forgets what the way to the origins may have been to blame for.
    mutating func forgiveConnections() { faults = faults.filter { $0.value == .wrongBytes } }

    /// Notes that the ranges of what is at `url` were not what they said.
    mutating func noteFalseRanges(of url: TransferURL) { falseRanges.insert(url.origin) }

    /// Whether ranges may be fetched from `url` to be put together.
    func hasRanges(_ url: TransferURL) -> Bool { falseRanges.isEmpty || !falseRanges.contains(url.origin) }

    /// Whether others are asked before `url`.
    func isDoubtful(_ url: TransferURL) -> Bool { !faults.isEmpty && faults[url.origin] != nil }
}
