import Glibc

/// State behind a lock, like ``Locked``, that threads wait for as well: for those of our own, never for the cooperative pool's.
package final class Monitor<State>: @unchecked Sendable {
    // Sendable because `state` is only ever touched between lock and unlock.
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ state: sending State) {
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

    /// Changes the state, and lets all who wait look at it. Keep it short: no callbacks, no I/O.
    package func change<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        pthread_mutex_lock(mutex)
        let result = body(&state)
        pthread_mutex_unlock(mutex)
        // Outside the lock, which whoever wakes up wants at once.
        pthread_cond_broadcast(changed)
        return result
    }

    /// Waits until `body`, which is asked now and after each change, returns something.
    package func wait<Result>(for body: (inout sending State) -> sending Result?) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(changed, mutex)
        }
    }
}
