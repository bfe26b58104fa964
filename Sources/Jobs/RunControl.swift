import Downloads
import Platform
import Transfer

/// Why a run stops before its time.
package enum StopReason: Hashable, Sendable {
    case interrupted, terminated, deadline, byteBudget
    /// The disk would have become fuller than it may.
    case noRoom

    /// Whether somebody outside asked for it.
    package var isSignal: Bool { self == .interrupted || self == .terminated }

    /// How the run is reported then.
    package var exit: ExitCode {
        switch self {
        case .interrupted: .interrupted
        case .terminated: .terminated
        case .deadline, .byteBudget: .paused
        case .noRoom: .noSpace
        }
    }
}

/// Steers a run from outside. Stopped, what runs is paused, with its bytes and their resume data on the disk; the first reason counts.
package final class RunControl: Sendable {
    private struct State {
        var reason: StopReason?
        var onStop: (@Sendable () -> Void)?
        weak var downloader: Downloader?
        /// What was asked for before there was a downloader.
        var configuration: DownloaderConfiguration?
    }

    private let state = Locked(State())

    package init() {}

    package func stop(_ reason: StopReason) {
        let handler = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.reason == nil else { return nil }
            state.reason = reason
            return state.onStop
        }
        handler?()
    }

    package var reason: StopReason? { state.withLock { $0.reason } }

    /// Lets the run's downloads go on by another configuration; what a run that has not come so far begins with, and nothing to one that is over.
    /// - Throws: `ConfigurationError` for one that can't work.
    package func reconfigure(_ configuration: DownloaderConfiguration) async throws(ConfigurationError) {
        let downloader = state.withLock { state in
            if state.downloader == nil { state.configuration = configuration }
            return state.downloader
        }
        try await downloader?.reconfigure(configuration)
    }

    /// The run's downloader is there.
    func begin(_ downloader: Downloader) async {
        let configuration = state.withLock { state in
            state.downloader = downloader
            return state.configuration
        }
        // One that can't work changes nothing.
        if let configuration { try? await downloader.reconfigure(configuration) }
    }

    /// Lets `handler` be called when the run is stopped; at once when it has been already.
    func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.onStop = handler
            return state.reason != nil
        }
        if isStopped { handler() }
    }
}
