import Platform
import Playlists

/// What is being fetched of a live presentation while its playlists are read on: one segment that hangs keeps nothing else back.
final class LiveFetches: Sendable {
    struct Outcome: Sendable {
        let resource: PlannedResource
        /// Nil for one that was never begun.
        let result: Result<FileSetJob.Placed, BundleFailure>?
    }

    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastTask = 0
        /// Of what hasn't been taken yet.
        var paths: Set<String> = []
        var ended: [Outcome] = []
        /// Sleeps while somebody waits.
        var sleeper: Task<Void, Never>?
    }

    private let state = Locked(State())

    /// Whether nothing is on its way.
    var isIdle: Bool { state.withLock { $0.tasks.isEmpty } }

    func has(_ resource: PlannedResource) -> Bool { state.withLock { $0.paths.contains(resource.path) } }

    /// - Parameter job: fetches these resources.
    func begin(_ resources: [PlannedResource], by job: FileSetJob) {
        state.withLock { state in
            state.lastTask += 1
            let number = state.lastTask
            state.paths.formUnion(resources.map(\.path))
            state.tasks[number] = Task { [self] in
                let results = await job.outcomes(stopsAtFailure: false)
                end(number, zip(resources, results).map { Outcome(resource: $0, result: $1) })
            }
        }
    }

    private func end(_ number: Int, _ outcomes: [Outcome]) {
        let sleeper = state.withLock { state in
            state.tasks[number] = nil
            state.ended += outcomes
            return state.tasks.isEmpty ? state.sleeper : nil
        }
        sleeper?.cancel()
    }

    /// Waits until all of it has ended, but no longer than that.
    func wait(_ limit: Duration) async {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            if state.tasks.isEmpty { return nil }
            let sleeper = Task { _ = try? await Task.sleep(for: limit) }
            state.sleeper = sleeper
            return sleeper
        }
        await sleeper?.value
    }

    /// Gives up what is on its way, and waits until that has ended.
    func cancel() async {
        let tasks = state.withLock { Array($0.tasks.values) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// What has ended since this was asked last.
    func take() -> [Outcome] {
        state.withLock { state in
            defer { state.ended = [] }
            for outcome in state.ended { state.paths.remove(outcome.resource.path) }
            return state.ended
        }
    }
}
