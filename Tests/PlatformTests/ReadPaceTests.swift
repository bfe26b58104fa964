import Platform
import Testing

@Suite struct ReadPaceTests {
    @Test func whatWasBookedBeforeIsPaidForFirst() {
        let pace = ReadPace(bytesPerSecond: 1_000_000) { false }
        let start = ContinuousClock.now
        for _ in 0..<3 { pace.wait(for: 100_000) }
        #expect(ContinuousClock.now - start >= .milliseconds(199))
    }

    @Test func aStopEndsTheWait() {
        let pace = ReadPace(bytesPerSecond: 1) { true }
        for _ in 0..<3 { pace.wait(for: .max) }
    }

    @Test func withoutARateNobodyWaits() {
        let pace = ReadPace(bytesPerSecond: nil) { false }
        for _ in 0..<3 { pace.wait(for: .max) }
    }
}
