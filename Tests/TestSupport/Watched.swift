import Glibc

/// A value behind a lock, whose changes tests and threads can wait for.
///
/// A pthread mutex, because `Synchronization.Mutex` gives false reports under ThreadSanitizer on Linux.
// Sendable because the state is reached only between `lock` and `unlock`.
package final class Watched<State: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
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
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// The state at this moment.
    package var now: State {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return state
    }

    /// Changes the state in one indivisible step, then wakes whoever waited for what it has become.
    package func update<Result, Failure: Error>(
        _ change: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure>
        var wakes: [() -> Void] = []
        pthread_mutex_lock(mutex)
        do throws(Failure) { outcome = .success(try change(&state)) } catch { outcome = .failure(error) }
        for (id, waiter) in waiters {
            guard let wake = waiter.look(state) else { continue }
            waiters[id] = nil
            wakes.append(wake)
        }
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
        for wake in wakes { wake() }
        return try outcome.get()
    }

    /// Waits until `predicate` finds something, and returns it.
    ///
    /// - Parameters:
    ///   - what: completes "waited for …" in the error.
    ///   - limit: a safety net for a broken test, not a schedule; 30 seconds.
    /// - Throws: `WaitTimedOut` with the state as it was then; `CancellationError`.
    package func wait<Found: Sendable>(
        for what: String, within limit: Duration = .seconds(30), until predicate: @escaping @Sendable (State) -> Found?
    ) async throws -> Found {
        let id = update { _ in takeWaiterID() }
        let watchdog = Task { [weak self] in
            try await Task.sleep(for: limit)
            guard let self else { return }
            let seen = String(describing: self.now)
            self.fail(id, with: WaitTimedOut(what: what, limit: limit, seen: seen))
        }
        defer { watchdog.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(id, predicate, continuation)
            }
        } onCancel: {
            fail(id, with: CancellationError())
        }
    }

    /// Blocks this thread until `predicate` holds. For threads of their own, never for tasks.
    package func block(until predicate: (State) -> Bool) {
        pthread_mutex_lock(mutex)
        while !predicate(state) { pthread_cond_wait(changed, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// Called with the lock held.
    private func takeWaiterID() -> UInt64 {
        nextWaiter += 1
        return nextWaiter
    }

    private func add<Found: Sendable>(
        _ id: UInt64, _ predicate: @escaping @Sendable (State) -> Found?,
        _ continuation: CheckedContinuation<Found, any Error>
    ) {
        pthread_mutex_lock(mutex)
        // A cancellation that came before the waiter was there found nobody to fail.
        let isCancelled = Task.isCancelled
        let found = isCancelled ? nil : predicate(state)
        if !isCancelled, found == nil {
            waiters[id] = Waiter(
                look: { state in predicate(state).map { found in { continuation.resume(returning: found) } } },
                fail: { continuation.resume(throwing: $0) })
        }
        pthread_mutex_unlock(mutex)
        if isCancelled {
            continuation.resume(throwing: CancellationError())
        } else if let found {
            continuation.resume(returning: found)
        }
    }

    private func fail(_ id: UInt64, with error: any Error) {
        pthread_mutex_lock(mutex)
        let waiter = waiters.removeValue(forKey: id)
        pthread_mutex_unlock(mutex)
        waiter?.fail(error)
    }
}

/// What a test waited for didn't happen.
package struct WaitTimedOut: Error, CustomStringConvertible {
    package let what: String
    package let limit: Duration
    /// What there was instead.
    package let seen: String

    package var description: String { "waited \(limit) for \(what); what there is: \(seen)" }
}
