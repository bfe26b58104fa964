import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct ConcurrencyTests {
    @Test func oneThreadRunsJobsInTheirOrder() async {
        let queue = JobQueue(name: "test")
        let order = Locked<[Int]>([])
        for number in 0..<5_000 { queue.enqueue { order.withLock { $0.append(number) } } }
        await queue.run {}
        #expect(order.withLock { $0 } == Array(0..<5_000))
    }

    @Test func aResultOrAnErrorComesBack() async throws {
        struct Failure: Error, Equatable { let number: Int }
        let queue = JobQueue(name: "test", threads: 2)
        #expect(await queue.run { 42 } == 42)
        await #expect(throws: Failure(number: 7)) {
            try await queue.attempt { () throws(Failure) in throw Failure(number: 7) }
        }
    }

    /// Each job waits for the other: with one thread, neither would end.
    @Test func severalThreadsRunJobsAtOnce() async throws {
        let queue = JobQueue(name: "test", threads: 2)
        let arrived = Watched(0)
        for _ in 0..<2 {
            queue.enqueue {
                arrived.update { $0 += 1 }
                while arrived.now < 2 {}
                arrived.update { $0 += 10 }
            }
        }
        _ = try await arrived.wait(for: "both jobs", within: .seconds(30)) { $0 == 22 ? true : nil }
    }

    @Test func jobsThatWereGivenRunEvenWhenTheQueueGoes() async throws {
        let done = Watched(0)
        do {
            let queue = JobQueue(name: "test")
            for _ in 0..<100 { queue.enqueue { done.update { $0 += 1 } } }
        }
        _ = try await done.wait(for: "all jobs", within: .seconds(30)) { $0 == 100 ? true : nil }
    }

    @Test func stepsBehindALockAreIndivisible() async {
        let count = Locked(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test func theLockIsFreeAgainAfterAnError() {
        struct Failure: Error {}
        let state = Locked(1)
        #expect(throws: Failure.self) { try state.withLock { _ throws(Failure) in throw Failure() } }
        #expect(state.withLock { $0 } == 1)
    }

    /// Where a thread that can't be done without is refused, people are told in a release build, too.
    @Test func whoCanNotGoOnSaysWhy() async {
        let ended = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            // More than any machine has room for: then the system refuses.
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            pthread_attr_setstacksize(&attributes, 1 << 50)
            let set = try #require(dlsym(nil, "pthread_setattr_default_np"))
            _ = unsafeBitCast(set, to: (@convention(c) (UnsafeRawPointer) -> Int32).self)(&attributes)
            _ = JobQueue(name: "test")
        }
        let line = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        #expect(line.contains("error: can't start the thread test: "), "\(line)")
    }

    @Test func joiningWaitsForTheEnd() {
        let ended = Locked(false)
        let thread = WorkerThread(name: "test") { ended.withLock { $0 = true } }
        thread.join()
        thread.join()
        #expect(ended.withLock { $0 })
    }
}
