import Platform
import Testing

@testable import Downloads

@Suite struct RateMeterTests {
    @Test func theRateIsThatOfTheLastSeconds() {
        var meter = RateMeter()
        let start = ContinuousClock.now
        let first = meter.note(1000, at: start)
        #expect(first == nil, "nothing is known in the first moments")
        var rate: Int64?
        for tenth in 1...50 { rate = meter.note(Int64(1000 + tenth * 100), at: start + .milliseconds(100 * tenth)) }
        #expect(rate == 1000)
        // A burst shows, and is forgotten.
        rate = meter.note(1_000_000, at: start + .milliseconds(5300))
        #expect(rate ?? 0 > 100_000)
        for tenth in 54...100 { rate = meter.note(1_000_000, at: start + .milliseconds(100 * tenth)) }
        #expect(rate == 0)
    }

    #if DEBUG
        @Test func aCriticalSectionEnteredFromInsideItselfFailsAtOnce() async {
            await #expect(processExitsWith: .failure) {
                let state = Locked(0)
                state.withLock { _ in state.withLock { _ in } }
            }
        }
    #endif
}
