import Glibc

/// A value behind a lock, whose changes tests and threads can wait for.
// Sendable because everything that changes is reached only while the lock is held.
package final class Watched<State: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State
    private var waiters: [UInt64: Waiter] = [:]
    private var nextWaiter: UInt64 = 0

    /// One task that waits: `look` says whether the state is what it waits for, and if so, how to wake it.
    private struct Waiter {
        let look: (State) -> (() -> Void)?
        let fail: (any Error) -> Void
    }

    package init(_ state: State) {
        self.state = state
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
    }

    /// The state at this moment.
    package var now: State { lock.hold { state } }

    /// Changes the state in one indivisible step, then wakes whoever waited for what it has become.
    package func update<Result>(_ change: (inout State) throws -> Result) rethrows -> Result {
        var wakes: [() -> Void] = []
        // Outside the lock, and whether or not `change` has failed half-way.
        defer { for wake in wakes { wake() } }
        return try lock.hold {
            defer {
                for (id, waiter) in waiters {
                    guard let wake = waiter.look(state) else { continue }
                    waiters[id] = nil
                    wakes.append(wake)
                }
                pthread_cond_broadcast(changed)
            }
            return try change(&state)
        }
    }

    /// Waits until `predicate` finds something, and returns it.
    ///
    /// - Parameters:
    ///   - what: completes "waited for …" in the error.
    ///   - limit: a safety net for a broken test, not a schedule; 30 seconds.
    ///   - predicate: looks at the state and nothing else, because it runs under the lock.
    /// - Throws: `WaitTimedOut` with the state as it was then; `CancellationError`.
    package func wait<Found: Sendable>(
        for what: String, within limit: Duration = .seconds(90), until predicate: @escaping @Sendable (State) -> Found?
    ) async throws -> Found {
        let id = takeWaiterID()
        let watchdog = Task { [weak self] in
            try await Task.sleep(for: limit)
            guard let self else { return }
            self.fail(id, with: WaitTimedOut(what: what, limit: limit, seen: String(describing: self.now)))
        }
        defer { watchdog.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { add(id, predicate, $0) }
        } onCancel: {
            fail(id, with: CancellationError())
        }
    }

    /// Blocks this thread until `predicate` holds. For threads of their own, never for tasks.
    package func block(until predicate: (State) -> Bool) {
        lock.hold {
            while !predicate(state) { pthread_cond_wait(changed, lock.mutex) }
        }
    }

    private func takeWaiterID() -> UInt64 {
        lock.hold {
            nextWaiter += 1
            return nextWaiter
        }
    }

    private func add<Found: Sendable>(
        _ id: UInt64, _ predicate: @escaping @Sendable (State) -> Found?,
        _ continuation: CheckedContinuation<Found, any Error>
    ) {
        let answer: Swift.Result<Found, any Error>? = lock.hold {
            // A cancellation that came before the waiter was there found nobody to fail.
            if Task.isCancelled { return .failure(CancellationError()) }
            if let found = predicate(state) { return .success(found) }
            waiters[id] = Waiter(
                look: { state in predicate(state).map { found in { continuation.resume(returning: found) } } },
                fail: { continuation.resume(throwing: $0) })
            return nil
        }
        if let answer { continuation.resume(with: answer) }
    }

    private func fail(_ id: UInt64, with error: any Error) {
        lock.hold { waiters.removeValue(forKey: id) }?.fail(error)
    }
}

/// What a test waited for didn't happen.
package struct WaitTimedOut: Error, CustomStringConvertible {
    package let what: String
    package let limit: Duration
    /// What there was instead.
    package let seen: String

    package init(what: String, limit: Duration, seen: String) {
        self.what = what
        self.limit = limit
        self.seen = seen
    }

    package var description: String { "waited \(limit) for \(what); what there is: \(seen)" }
}
