import Platform
import Testing

@testable import Jobs

@Suite struct RunControlTests {
    @Test func theFirstReasonCounts() {
        let control = RunControl()
        control.stop(.deadline)
        control.stop(.interrupted)
        #expect(control.reason == .deadline)
    }

    @Test func whoListensLateIsToldAtOnceAndOnlyOnce() {
        let control = RunControl()
        control.stop(.byteBudget)
        let calls = Locked(0)
        control.onStop { calls.withLock { $0 += 1 } }
        control.stop(.terminated)
        #expect(calls.withLock { $0 } == 1)
    }
}
