import Glibc

/// Threads that take jobs in the order they came: where blocking work (hashing, inflating, flushing) is done.
package final class JobQueue: Sendable {
    package typealias Job = @Sendable () -> Void

    private let shared: Shared

    /// Starts `threads` threads, or as many of them as the system grants, and one at least; with one, jobs run strictly one after the other.
    package init(name: String, threads: Int = 1) {
        let shared = Shared()
        self.shared = shared
        _ = WorkerThread(name: name) { shared.work() }
        for _ in 1..<max(1, threads) {
            _ = try? WorkerThread(ifGranted: name) { shared.work() }
        }
    }

    /// Lets the threads end once every job that was given has run.
    deinit { shared.close() }

    /// Appends `job`; it runs on one of the queue's threads.
    package func enqueue(_ job: @escaping Job) { shared.append(job) }

    /// Runs `body` on one of the queue's threads and hands its result back.
    package func run<Success: Sendable>(_ body: @escaping @Sendable () -> Success) async -> Success {
        await withCheckedContinuation { continuation in
            enqueue { continuation.resume(returning: body()) }
        }
    }

    /// Runs `body`, which may fail, on one of the queue's threads.
    package func attempt<Success: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        try await run { Result(catching: body) }.get()
    }

    private final class Shared: @unchecked Sendable {
        // Sendable because all fields below are only touched with `mutex` held.
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private var jobs: [Job] = []
        private var head = 0
        private var closed = false

        init() {
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(condition, nil)
        }

        deinit {
            pthread_cond_destroy(condition)
            pthread_mutex_destroy(mutex)
            condition.deallocate()
            mutex.deallocate()
        }

        func append(_ job: @escaping Job) {
            pthread_mutex_lock(mutex)
            jobs.append(job)
            pthread_mutex_unlock(mutex)
            // Outside the lock, which whoever wakes up wants at once.
            pthread_cond_signal(condition)
        }

        func close() {
            pthread_mutex_lock(mutex)
            closed = true
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }

        func work() {
            while let job = next() { job() }
        }

        private func next() -> Job? {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            while head == jobs.count {
                if closed { return nil }
                pthread_cond_wait(condition, mutex)
            }
            let job = jobs[head]
            jobs[head] = {}
            head += 1
            // Taken jobs leave in batches, so that a long queue is not shifted for each.
            if head == jobs.count || head > 1024 {
                jobs.removeFirst(head)
                head = 0
            }
            return job
        }
    }
}
