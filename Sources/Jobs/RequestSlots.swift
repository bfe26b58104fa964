import Platform

/// So many files of a run are asked for or placed at once, whichever bundles they are of; the others wait their turn. Each may hold a descriptor.
package final class RequestSlots: Sendable {
    private struct State {
        var free: Int
        /// In the order they came.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    /// - Parameter count: at least 1.
    package init(_ count: Int) { state = Locked(State(free: max(1, count))) }

    /// Runs `body` when there is a slot. A cancelled task waits as well: those before it are cancelled, too, and soon done.
    package func withSlot<Success: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        await take()
        defer { giveBack() }
        return try await body()
    }

    private func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
