import Platform
import Transfer

/// Why one try at one source failed, and what can be done about it.
struct AttemptFailure: Error {
    private(set) var error: DownloadError
    let remedy: Remedy
    /// The delay the server asked for.
    var retryAfter: Duration?
    /// For `overBudget`: the budget that was exceeded.
    var budgetBytes: Int64?
    /// What the failure says of the source's origin as a whole, beyond this asset.
    var fault: SourceReputation.Fault?
    /// Whether it may be this machine that isn't connected.
    var lacksRoute = false
    /// Whether the ranges that the try fetched make no asset, each of which was taken for what it said to be.
    var isOfRanges = false

    enum Remedy: Hashable {
        /// The same source may do better later.
        case retry
        /// This source will not do; another may.
        case nextSource
        /// The bytes held are worthless; the same source from zero.
        case restart
        /// The same, but it will hardly be any better: first another source, if there is one.
        case restartAfterOthers
        /// No source can help.
        case giveUp
    }

    /// Whether the bytes fetched so far can be of no use to any later try.
    var discardsBytes: Bool {
        [.restart, .restartAfterOthers].contains(remedy)
            || [.overBudget, .digestMismatch, .sizeMismatch].contains(error.code)
    }

    /// The same with more for people to read.
    func explained(by hint: String) -> AttemptFailure {
        var failure = self
        failure.error = DownloadError(error.code, error.message + hint)
        return failure
    }

    init(_ code: DownloadError.Code, _ message: String, _ remedy: Remedy, retryAfter: Duration? = nil) {
        error = DownloadError(code, message)
        self.remedy = remedy
        self.retryAfter = retryAfter
    }

    init(_ error: DownloadError, _ remedy: Remedy) {
        self.error = error
        self.remedy = remedy
    }

    init(_ error: SystemError) { self.init(DownloadError(error), .giveUp) }

    /// What an exchange's failure means for the download.
    init(_ error: TransferError) {
        switch error {
        case .unreachable, .noRoute:
            self.init(.transportFailure, "\(error)", .retry)
            fault = .unreachable
            if case .noRoute = error { lacksRoute = true }
        case .connectionLost: self.init(.transportFailure, "\(error)", .retry)
        case .insecure:
            self.init(.transportFailure, "\(error)", .nextSource)
            fault = .insecure
        case .invalidResponse: self.init(.invalidResponse, "\(error)", .retry)
        case .redirectRefused(let status, _): self.init(.redirectRefused(status), "\(error)", .nextSource)
        case .overBudget(let limit):
            self.init(.overBudget, "\(error)", .giveUp)
            budgetBytes = limit
        case .timedOut(.whole, _): self.init(.timedOut, "\(error)", .giveUp)
        case .timedOut(let deadline, _):
            self.init(.timedOut, "\(error)", .retry)
            if deadline == .connect { fault = .unreachable }
        case .cancelled: self.init(.cancelled, .giveUp)
        case .unusableRequest: self.init(.unusableRequest, "\(error)", .nextSource)
        case .consumerFailed(let cause):
            self =
                cause as? AttemptFailure ?? (cause as? SystemError).map(AttemptFailure.init)
                ?? AttemptFailure(.fileFailed, "\(cause)", .giveUp)
        }
    }
}
