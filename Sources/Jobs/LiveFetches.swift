import Platform
import Playlists

/// What is fetched of a live presentation while its playlists are read again.
final class LiveFetches: Sendable {
    typealias Outcome = (resource: PlannedResource, result: Result<FileSetJob.Placed, BundleFailure>)

    private struct State {
        /// URLs: of a file that is being fetched no second part is asked for.
        var running: Set<String> = []
        var done: [Outcome] = []
        /// Sleeps while somebody waits.
        var sleeper: Task<Void, Never>?
    }

    private let state = Locked(State())

    /// Whether nothing is being fetched.
    var isIdle: Bool { state.withLock { $0.running.isEmpty } }

    /// Whether everything has ended, and was taken.
    var isDone: Bool { state.withLock { $0.running.isEmpty && $0.done.isEmpty } }

    /// Those of these resources that aren't being fetched yet: they are from now on.
    func begin(_ resources: [PlannedResource]) -> [PlannedResource] {
        state.withLock { state in
            let new = resources.filter { !state.running.contains($0.url) }
            state.running.formUnion(new.map(\.url))
            return new
        }
    }

    /// - Parameter results: nil for one that was never begun.
    func end(_ resources: [PlannedResource], _ results: [Result<FileSetJob.Placed, BundleFailure>?]) {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            state.running.subtract(resources.map(\.url))
            for case (let resource, let result?) in zip(resources, results) { state.done.append((resource, result)) }
            return state.running.isEmpty ? state.sleeper : nil
        }
        sleeper?.cancel()
    }

    /// Waits until nothing is being fetched, but no longer than that.
    func wait(_ limit: Duration) async {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            if state.running.isEmpty { return nil }
            let sleeper = Task { _ = try? await Task.sleep(for: limit) }
            state.sleeper = sleeper
            return sleeper
        }
        await sleeper?.value
    }

    /// What has ended since this was asked last.
    func takeDone() -> [Outcome] {
        state.withLock { state in
            defer { state.done = [] }
            return state.done
        }
    }
}
