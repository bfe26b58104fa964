import Platform
import TestSupport
import Testing

@testable import Jobs

@Suite struct TaskWindowTests {
    @Test func allAreDoneAndNoMoreThanAFewAtOnce() async {
        let running = Locked((now: 0, most: 0))
        var taken: [Int: Int] = [:]
        await TaskWindow.run(50, width: 4) { index in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            await Task.yield()
            running.withLock { $0.now -= 1 }
            return index * index
        } take: { index, result in
            taken[index] = result
            return true
        }
        #expect(taken == Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, $0 * $0) }))
        #expect((1...4).contains(running.withLock { $0.most }))
    }

    @Test func nothingBeginsAfterARefusalAndWhatRunsIsTaken() async {
        let begun = Locked(0)
        var taken = 0
        await TaskWindow.run(100, width: 3) { index in
            begun.withLock { $0 += 1 }
            return index
        } take: { index, _ in
            taken += 1
            return index < 10
        }
        #expect(begun.withLock { $0 } == taken && taken < 20)
    }

    /// As when each needs what the one before has left.
    @Test func oneThatMayNotBeginIsAskedAboutAgain() async {
        var done = 0
        var order: [Int] = []
        await TaskWindow.run(6, width: 6) { number in
            number <= done
        } _: { index in
            index
        } take: { index, _ in
            order.append(index)
            done += 1
            return true
        }
        #expect(order == [0, 1, 2, 3, 4, 5])
    }
}
