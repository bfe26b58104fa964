import Platform
import Testing

@testable import Downloads

/// How many connections a download gets, by what they do to its rate.
@Suite struct SplitPaceTests {
    private static let megabyte: Int64 = 1_000_000

    /// Lets a download run whose rate is a function of its connections, and says how many it wanted after each second.
    private func connections(
        totalBytes: Int64 = 1000 * megabyte, seconds: Int = 4, available: Int = .max, rate: (Int) -> Int64
    ) -> [Int] {
        var pace = SplitPace(SplitPolicy())
        var now = ContinuousClock.now
        var (received, wanted): (Int64, [Int]) = (0, [])
        for step in 0..<seconds * 20 where received < totalBytes {
            let active = min(pace.connections, available)
            pace.note(
                receivedBytes: received, remainingBytes: totalBytes - received, active: active, opened: active,
                now: now)
            now += .milliseconds(50)
            received += rate(active) / 20
            if step % 20 == 19 { wanted.append(pace.connections) }
        }
        return wanted
    }

    @Test func connectionsThatAddUpBecomeMore() {
        #expect(connections { Int64($0) * 4 * Self.megabyte }.first ?? 0 >= 8)
    }

    @Test func connectionsThatAddNothingGoAgain() {
        #expect(connections { _ in 10 * Self.megabyte }.dropFirst().allSatisfy { $0 == 1 })
    }

    @Test func theyBecomeNoMoreThanWhatMakesItFaster() {
        #expect(connections { Int64(min($0, 8)) * 4 * Self.megabyte }.last == 8)
    }

    @Test func aFastDownloadIsLeftAlone() {
        #expect(connections(totalBytes: 1 << 30) { Int64($0) * 900 * Self.megabyte }.allSatisfy { $0 == 1 })
    }

    @Test func aSmallDownloadIsLeftAlone() {
        #expect(connections(totalBytes: 8 << 20 - 1) { Int64($0) * Self.megabyte }.allSatisfy { $0 == 1 })
    }

    @Test func aDownloadThatBecomesSlowIsSplitThen() {
        var pace = SplitPace(SplitPolicy())
        let start = ContinuousClock.now
        for second in 0..<3 {
            pace.note(
                receivedBytes: Int64(second) * 500 * Self.megabyte, remainingBytes: 400 * Self.megabyte, active: 1,
                opened: 1, now: start + .seconds(second))
        }
        #expect(pace.connections == 1)
        for second in 3..<9 {
            pace.note(
                receivedBytes: 1001 * Self.megabyte, remainingBytes: 399 * Self.megabyte, active: 1, opened: 1,
                now: start + .seconds(second))
        }
        #expect(pace.connections > 1)
    }

    @Test func aRateCountsOnlyOnceAllBringSomething() {
        var pace = SplitPace(SplitPolicy())
        let start = ContinuousClock.now
        for tenth in 0..<40 {
            pace.note(
                receivedBytes: Int64(tenth) * Self.megabyte, remainingBytes: 900 * Self.megabyte, active: 1,
                opened: 2, now: start + .milliseconds(100 * tenth))
        }
        #expect(pace.connections == 1)
    }

    /// With four seconds until each range begins to come, and a server that brings no more over many connections than over one.
    @Test(arguments: [true, false]) func lateFirstBytesDoNotHideThatNothingIsGained(allBring: Bool) {
        var pace = SplitPace(SplitPolicy())
        let start = ContinuousClock.now
        for tenth in 0..<250 {
            let isLate = tenth >= 5 && (tenth < 50 || !allBring)
            pace.note(
                receivedBytes: Int64(tenth) * 200_000, remainingBytes: 900 * Self.megabyte,
                active: tenth < 5 || isLate ? 1 : 8, opened: tenth < 5 ? 1 : 8, now: start + .milliseconds(100 * tenth))
            if tenth == 10 { #expect(pace.connections == 8) }
        }
        #expect(pace.connections == 1)
    }

    @Test func aGulpOfBytesIsNoRate() {
        var pace = SplitPace(SplitPolicy())
        let start = ContinuousClock.now
        for (milliseconds, received) in [(0, 0), (100, 250_000), (200, 500_000), (300, 750_000)] {
            pace.note(
                receivedBytes: Int64(received), remainingBytes: 900 * Self.megabyte, active: 1, opened: 1,
                now: start + .milliseconds(milliseconds))
        }
        // Eight that together are no faster: their first pieces come all at once.
        for (milliseconds, received) in [(310, 750_000), (420, 1_750_000)] {
            pace.note(
                receivedBytes: Int64(received), remainingBytes: 900 * Self.megabyte, active: 8, opened: 8,
                now: start + .milliseconds(milliseconds))
        }
        for tenth in 5..<60 {
            pace.note(
                receivedBytes: Int64(1_750_000 + 250_000 * (tenth - 4)), remainingBytes: 900 * Self.megabyte, active: 8,
                opened: 8, now: start + .milliseconds(100 * tenth))
        }
        #expect(pace.connections == 1)
    }

    @Test func noMoreAreWantedWhereThereAreNone() {
        #expect(connections(available: 1) { Int64($0) * 4 * Self.megabyte }.allSatisfy { $0 == 8 })
    }
}
