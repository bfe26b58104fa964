import Downloads
import Platform
import Transfer

/// Turns what a download tells into the run's events.
final class TransferReporter: Sendable {
    private struct State {
        /// The source that is being asked: what the events are about.
        var url: String
        var lastProgress: ContinuousClock.Instant?
        /// Bytes of the running try that were counted already.
        var countedBytes: Int64 = 0
    }

    typealias Emit = @Sendable (_ kind: RunEvent.Kind, _ url: String, _ transfer: Int?) -> Void

    private let number: Int
    private let emit: Emit
    private let received: @Sendable (Int64) -> Void
    private let state: Locked<State>
    /// Five lines a second for each transfer are enough for any display.
    private static let interval: Duration = .milliseconds(200)
    /// Numbers need only differ.
    private static let lastNumber = Locked(0)

    /// - Parameter received: told of body bytes as they come in.
    init(
        url: String, received: @escaping @Sendable (Int64) -> Void, emit: @escaping Emit
    ) {
        number = Self.lastNumber.withLock { last in
            last += 1
            return last
        }
        self.emit = emit
        self.received = received
        state = Locked(State(url: url))
    }

    func report(_ event: DownloadEvent) {
        switch event {
        case .coalesced: send(.transferCoalesced)
        case .started(let url):
            state.withLock { ($0.url, $0.countedBytes) = ("\(url)", 0) }
            send(.transferStarted)
        case .resumed(let offset):
            // What comes from here on is this try's, even when it began unheard, in another session.
            state.withLock { $0.countedBytes = 0 }
            send(.transferResumed(offset: offset))
        case .progress(let progress): reportProgress(progress)
        case .retrying(let error, let delay): send(.transferRetrying(reason: error.message, delay: delay))
        }
    }

    /// The source that was asked last: what a failure is about.
    var url: String { state.withLock { $0.url } }

    func finished(bytes: Int64) { send(.transferFinished(bytes: bytes)) }

    func failed(_ failure: BundleFailure) {
        if failure.code == .paused {
            send(.transferPaused)
        } else {
            send(.transferFailed(code: failure.code.rawValue, message: failure.message))
        }
    }

    private func reportProgress(_ progress: DownloadProgress) {
        let now = ContinuousClock.now
        let isComplete = progress.receivedBytes == progress.totalBytes
        let (isDue, newBytes) = state.withLock { state in
            let fetched = max(0, progress.receivedBytes - progress.resumedFromBytes)
            let newBytes = progress.isShared ? 0 : max(0, fetched - state.countedBytes)
            state.countedBytes = fetched
            guard isComplete || state.lastProgress.map({ now - $0 >= Self.interval }) ?? true else {
                return (false, newBytes)
            }
            state.lastProgress = now
            return (true, newBytes)
        }
        if newBytes > 0 { received(newBytes) }
        guard isDue else { return }
        send(
            .transferProgress(
                received: progress.receivedBytes, total: progress.totalBytes, bytesPerSecond: progress.bytesPerSecond))
    }

    private func send(_ kind: RunEvent.Kind) { emit(kind, url, number) }
}
