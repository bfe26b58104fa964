import Downloads
import Platform
import Transfer

/// Why a run stops before its time.
package enum StopReason: String, Hashable, Sendable {
    case interrupted, terminated, deadline, byteBudget
    /// The time of day, or something about the machine, doesn't suit any more.
    case window, conditions
    /// There was no network for longer than anybody waits.
    case noNetwork
    /// The disk would have become fuller than it may.
    case noRoom

    /// Whether somebody outside asked for it.
    package var isSignal: Bool { self == .interrupted || self == .terminated }

    /// What did it, for people.
    package var cause: String {
        switch self {
        case .interrupted: "SIGINT"
        case .terminated: "SIGTERM"
        case .deadline: "its deadline"
        case .byteBudget: "its byte budget"
        case .window: "the end of its hours"
        case .conditions: "the machine's power or network"
        case .noNetwork: "want of a network"
        case .noRoom: "want of room"
        }
    }

    /// How the run is reported then.
    package var exit: ExitCode {
        switch self {
        case .interrupted: .interrupted
        case .terminated: .terminated
        case .deadline, .byteBudget, .window, .conditions, .noNetwork: .paused
        case .noRoom: .noSpace
        }
    }
}

/// Steers a run from outside. Stopped, what runs is paused, with its bytes and their resume data on the disk; the first reason counts.
package final class RunControl: Sendable {
    private struct State {
        var reason: StopReason?
        var onStop: (@Sendable () -> Void)?
        /// Who waits for time to pass, by a number of their own.
        var sleepers: [UInt64: Task<Void, Never>] = [:]
        var lastSleeper: UInt64 = 0
        weak var downloader: Downloader?
        /// What was asked for before there was a downloader.
        var configuration: DownloaderConfiguration?
        var hasNetwork = true
        var networkChanges: UInt64 = 0
        /// How often bytes were moved.
        var activity: UInt64 = 0
    }

    private let state = Locked(State())

    package init() {}

    package func stop(_ reason: StopReason) {
        let (handler, sleepers) = state.withLock { state -> ((@Sendable () -> Void)?, [Task<Void, Never>]) in
            guard state.reason == nil else { return (nil, []) }
            state.reason = reason
            return (state.onStop, Array(state.sleepers.values))
        }
        for sleeper in sleepers { sleeper.cancel() }
        handler?()
    }

    /// Waits, until the run is stopped at the latest.
    func wait(_ duration: Duration) async {
        let sleeper = Task { _ = try? await Task.sleep(for: duration) }
        let number = state.withLock { state in
            state.lastSleeper += 1
            state.sleepers[state.lastSleeper] = sleeper
            if state.reason != nil { sleeper.cancel() }
            return state.lastSleeper
        }
        await sleeper.value
        state.withLock { _ = $0.sleepers.removeValue(forKey: number) }
    }

    package var reason: StopReason? { state.withLock { $0.reason } }

    /// Lets the run's downloads go on by another configuration; what a run that has not come so far begins with, and nothing to one that is over.
    /// - Throws: `ConfigurationError` for one that can't work.
    /// - Parameter reason: what `session.rebuilt` says, where it takes that.
    package func reconfigure(
        _ configuration: DownloaderConfiguration, because reason: RebuildReason = .configuration
    ) async throws(ConfigurationError) {
        let downloader = state.withLock { state in
            if state.downloader == nil { state.configuration = configuration }
            return state.downloader
        }
        try await downloader?.reconfigure(configuration, because: reason)
    }

    /// Lets the run's downloads build their connections anew; one that has not come so far has none.
    package func reconnect(because reason: RebuildReason) async {
        await state.withLock { $0.downloader }?.reconnect(because: reason)
    }

    /// Tells the run's downloads whether the machine has a way out of its own networks.
    package func setNetwork(isUsable: Bool) {
        let downloader = state.withLock { state in
            if state.hasNetwork != isUsable { state.networkChanges &+= 1 }
            state.hasNetwork = isUsable
            return state.downloader
        }
        downloader?.setNetwork(isUsable: isUsable)
    }

    /// Whether the machine has no way out of its own networks.
    var lacksNetwork: Bool { state.withLock { !$0.hasNetwork } }

    /// A number that changes when a way out is lost or found.
    var networkChanges: UInt64 { state.withLock { $0.networkChanges } }

    /// Notes that bytes were moved.
    package func noteActivity() { state.withLock { $0.activity &+= 1 } }

    /// A number that changes while bytes move.
    package var activity: UInt64 { state.withLock { $0.activity } }

    /// The run's downloader is there.
    func begin(_ downloader: Downloader) async {
        var isUpToDate = false
        while !isUpToDate {
            let (configuration, hasNetwork) = state.withLock { ($0.configuration, $0.hasNetwork) }
            downloader.setNetwork(isUsable: hasNetwork)
            // One that can't work changes nothing.
            if let configuration { try? await downloader.reconfigure(configuration) }
            // Whatever was told meanwhile is newer than what was just passed on.
            isUpToDate = state.withLock { state in
                guard state.configuration == configuration, state.hasNetwork == hasNetwork else { return false }
                state.downloader = downloader
                return true
            }
        }
    }

    /// Lets `handler` be called when the run is stopped; at once when it has been already.
    package func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.onStop = handler
            return state.reason != nil
        }
        if isStopped { handler() }
    }
}
