import Glibc
import Platform
import Testing

@testable import Jobs

@Suite struct AbandonableReadTests {
    @Test func aCancelledTaskDoesNotWaitForIt() async throws {
        let isOver = Locked(false)
        let task = Task {
            // Longer than anybody would wait, but not for ever, should the test fail.
            try await readAbandonably { for _ in 0..<10_000 where !isOver.withLock({ $0 }) { usleep(1000) } }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        isOver.withLock { $0 = true }
    }

    @Test func whatItReadsAndHowItFailsIsHandedBack() async throws {
        #expect(try await readAbandonably { 7 } == 7)
        await #expect(throws: SystemError.self) {
            try await readAbandonably { () throws -> Int in throw SystemError(code: 5, operation: "read", subject: "x")
            }
        }
    }
}
