import Transfer

/// The sources of one download: which is asked next, and how much patience is left.
struct SourceRotation {
    private(set) var sources: [TransferURL]
    private var isBad: [Bool]
    private var index = 0
    /// Failures since bytes last arrived.
    private var failures = 0
    private var restarts = 0
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

    enum Next {
        case tryAgain(after: Duration)
        case giveUp
    }

    /// Notes bytes on the disk: progress gives all patience back.
    mutating func note(heldBytes: Int64) {
        guard heldBytes > bestHeldBytes else { return }
        bestHeldBytes = heldBytes
        failures = 0
    }

    /// Decides what follows a failed try.
    mutating func next(
        after failure: AttemptFailure, policy: RetryPolicy, using generator: inout some RandomNumberGenerator
    ) -> Next {
        switch failure.remedy {
        case .giveUp: return .giveUp
        case .restart:
            restarts += 1
            guard restarts <= Self.maximumRestarts else { return giveUpOnCurrent() }
            return .tryAgain(after: .zero)
        case .nextSource: return giveUpOnCurrent()
        case .retry:
            failures += 1
            guard failures <= policy.retries else { return .giveUp }
            let usable = isBad.count { !$0 }
            advance()
            // With mirrors, each gets its turn before anybody waits.
            guard failures % usable == 0 else { return .tryAgain(after: .zero) }
            return .tryAgain(
                after: policy.delay(
                    retry: failures / usable - 1, retryAfter: usable == 1 ? failure.retryAfter : nil, using: &generator)
            )
        }
    }

    private mutating func giveUpOnCurrent() -> Next {
        isBad[index] = true
        guard isBad.contains(false) else { return .giveUp }
        restarts = 0
        advance()
        return .tryAgain(after: .zero)
    }

    /// Moves on to the next source that isn't bad; there is one.
    private mutating func advance() {
        repeat { index = (index + 1) % sources.count } while isBad[index]
    }
}
