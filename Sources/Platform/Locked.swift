import Glibc

/// State behind a lock: one indivisible step at a time.
///
/// A pthread mutex rather than `Synchronization.Mutex`, which ThreadSanitizer misreads on Linux. In debug builds, entering from inside fails
/// at once instead of hanging.
package final class Locked<State>: @unchecked Sendable {
    // Sendable because `state` is only ever touched between lock and unlock.
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        #if DEBUG
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        #endif
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// The same where nobody has the state right now; nil where somebody does.
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Runs `body` with the state to itself. Keep it short: no callbacks, no I/O, nothing that waits; that is for ``WorkLock``.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let code = pthread_mutex_lock(mutex)
        precondition(code == 0, "a critical section was entered from inside itself")
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
