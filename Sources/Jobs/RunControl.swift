import Platform

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

/// Stops a run from outside: what runs is paused, with its bytes and their resume data on the disk. The first reason counts.
package final class RunControl: Sendable {
    private struct State {
        var reason: StopReason?
        var onStop: (@Sendable () -> Void)?
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

    /// Lets `handler` be called when the run is stopped; at once when it has been already.
    func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.onStop = handler
            return state.reason != nil
        }
        if isStopped { handler() }
    }
}
