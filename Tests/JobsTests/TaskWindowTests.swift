import Platform
import TestSupport
import Testing

@testable import Jobs

@Suite struct TaskWindowTests {
    /// None of the first four ends before all of them run: one by one, they never would.
    @Test func allAreDoneAFewAtOnceAndNoMoreThanThose() async {
        let running = Watched((begun: 0, now: 0, most: 0))
        var taken: [Int: Int] = [:]
        await TaskWindow.run(50, width: 4) { index in
            running.update {
                $0.begun += 1
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            if index < 4 { _ = try? await running.wait(for: "four at once") { $0.begun >= 4 ? () : nil } }
            running.update { $0.now -= 1 }
            return index * index
        } take: { index, result in
            taken[index] = result
            return true
        }
        #expect(taken == Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, $0 * $0) }))
        #expect(running.now.most == 4)
    }

    @Test func aRefusalCancelsWhatRuns() async {
        let begun = Watched(0)
        var wereCancelled: [Int: Bool] = [:]
        await TaskWindow.run(3, width: 3) { index in
            begun.update { $0 += 1 }
            guard index > 0 else {
                _ = try? await begun.wait(for: "the others") { $0 == 3 ? () : nil }
                return false
            }
            _ = try? await begun.wait(for: "a cancel") { $0 > 3 ? () : nil }
            return Task.isCancelled
        } take: { index, isCancelled in
            wereCancelled[index] = isCancelled
            return index != 0
        }
        #expect(wereCancelled == [0: false, 1: true, 2: true])
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
