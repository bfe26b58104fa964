import Transfer

/// The sources of one download: which is asked next, and how much patience is left.
struct SourceRotation {
    private(set) var sources: [TransferURL]
    private var isBad: [Bool]
    private var index = 0
    /// Failures since bytes last arrived.
    private var failures = 0
    /// The delays that servers asked for since everybody last had a turn.
    private var askedDelays: [Duration] = []
    private var restarts = 0
    /// Sources that had no route to them, since one last failed otherwise or anything last came.
    private var unroutable = 0
    /// The most bytes that were ever held: less than that again is no progress.
    private var bestHeldBytes: Int64 = 0

    /// A server whose asset keeps changing would be started over for ever.
    private static let maximumRestarts = 3

    init(_ sources: [TransferURL]) {
        self.sources = sources
        isBad = sources.map { _ in false }
    }

    var current: TransferURL { sources[index] }

    /// Adds sources that another caller knows.
    mutating func add(_ more: [TransferURL]) {
        for source in more where !sources.contains(source) {
            sources.append(source)
            isBad.append(false)
        }
    }

    /// Moves on from a doubtful source before it is even asked, if there is another.
    /// - Returns: whether it did.
    mutating func avoid(_ isDoubtful: (TransferURL) -> Bool) -> Bool {
        // Once something has failed, every source gets its turn.
        guard failures == 0, isDoubtful(current) else { return false }
        guard let better = sources.indices.first(where: { !isBad[$0] && !isDoubtful(sources[$0]) }) else {
            return false
        }
        index = better
        return true
    }

    /// Those that may still bring the asset, in order of preference.
    var usable: [TransferURL] { zip(sources, isBad).filter { !$0.1 }.map(\.0) }

    enum Next: Hashable {
        case tryAgain(after: Duration)
        case giveUp
        /// No source can be reached while there is no network.
        case waitForNetwork
    }

    /// Notes bytes on the disk: progress gives all patience back to the source that brought it.
    mutating func note(heldBytes: Int64, from source: TransferURL) {
        guard heldBytes > bestHeldBytes else { return }
        bestHeldBytes = heldBytes
        guard source == current else { return }
        failures = 0
        unroutable = 0
        askedDelays = []
    }

    /// Decides what follows a failed try.
    /// - Parameters:
    ///   - isBound: bytes are held that only the current source can go on with.
    ///   - isOffline: the machine has no way out of its own networks.
    mutating func next(
        after failure: AttemptFailure, isBound: Bool = false, policy: RetryPolicy,
        isOffline: Bool = false, using generator: inout some RandomNumberGenerator
    ) -> Next {
        if isOffline, failure.lacksRoute { return passOver(isBound: isBound) }
        unroutable = 0
        switch failure.remedy {
        case .giveUp: return .giveUp
        case .restart:
            restarts += 1
            guard restarts <= Self.maximumRestarts else { return giveUpOnCurrent() }
            return .tryAgain(after: .zero)
        case .restartAfterOthers:
            // Each source is put off so but once: what it sends in one go is judged for good.
            advance()
            return .tryAgain(after: .zero)
        case .nextSource: return giveUpOnCurrent()
        case .retry:
            failures += 1
            return isBound ? stay(failure, policy, &generator) : takeTurns(failure, policy, &generator)
        }
    }

    /// It isn't the source's fault: whatever else may be reached has its turn, and no patience is lost.
    private mutating func passOver(isBound: Bool) -> Next {
        guard !isBound else { return .waitForNetwork }
        unroutable += 1
        advance()
        guard unroutable >= isBad.count(where: { !$0 }) else { return .tryAgain(after: .zero) }
        unroutable = 0
        return .waitForNetwork
    }

    /// The same source again: another one would begin anew.
    private mutating func stay(
        _ failure: AttemptFailure, _ policy: RetryPolicy, _ generator: inout some RandomNumberGenerator
    ) -> Next {
        guard failures <= policy.retries else { return giveUpOnCurrent() }
        return .tryAgain(
            after: policy.delay(retry: failures - 1, retryAfter: failure.retryAfter, using: &generator))
    }

    /// Each source gets its turn before anybody waits.
    private mutating func takeTurns(
        _ failure: AttemptFailure, _ policy: RetryPolicy, _ generator: inout some RandomNumberGenerator
    ) -> Next {
        let usable = isBad.count { !$0 }
        guard failures <= max(policy.retries, usable - 1) else { return .giveUp }
        if let asked = failure.retryAfter { askedDelays.append(asked) }
        advance()
        guard failures % usable == 0 else { return .tryAgain(after: .zero) }
        // Where all ask for patience the least of it is shown; where one doesn't, it may be asked again as usual.
        let asked = askedDelays.count >= usable ? askedDelays.min() : nil
        askedDelays = []
        return .tryAgain(after: policy.delay(retry: failures / usable - 1, retryAfter: asked, using: &generator))
    }

    private mutating func giveUpOnCurrent() -> Next {
        isBad[index] = true
        guard isBad.contains(false) else { return .giveUp }
        restarts = 0
        failures = 0
        askedDelays = []
        advance()
        return .tryAgain(after: .zero)
    }

    /// Moves on to the next source that isn't bad; there is one.
    private mutating func advance() {
        repeat { index = (index + 1) % sources.count } while isBad[index]
    }
}
