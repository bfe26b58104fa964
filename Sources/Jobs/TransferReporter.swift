import Downloads
import Platform
import Transfer

/// Turns what a download tells into the run's events.
final class TransferReporter: Sendable {
    private let emit: @Sendable (RunEvent.Kind, String) -> Void
    /// The URL the events are about: the source that is being asked.
    private let state: Locked<(url: String, lastProgress: ContinuousClock.Instant?)>
    /// Five lines a second for each transfer are enough for any display.
    private static let interval: Duration = .milliseconds(200)

    init(url: String, emit: @escaping @Sendable (RunEvent.Kind, String) -> Void) {
        self.emit = emit
        state = Locked((url, nil))
    }

    func report(_ event: DownloadEvent) {
        switch event {
        case .coalesced: send(.transferCoalesced)
        case .started(let url):
            state.withLock { $0.url = "\(url)" }
            send(.transferStarted)
        case .resumed(let offset): send(.transferResumed(offset: offset))
        case .progress(let progress): reportProgress(progress)
        case .retrying(let error, let delay): send(.transferRetrying(reason: error.message, delay: delay))
        }
    }

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
        let isDue = state.withLock { state in
            guard isComplete || state.lastProgress.map({ now - $0 >= Self.interval }) ?? true else { return false }
            state.lastProgress = now
            return true
        }
        guard isDue else { return }
        send(
            .transferProgress(
                received: progress.receivedBytes, total: progress.totalBytes, bytesPerSecond: progress.bytesPerSecond))
    }

    private func send(_ kind: RunEvent.Kind) { emit(kind, state.withLock { $0.url }) }
}
