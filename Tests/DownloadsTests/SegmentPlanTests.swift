import TestSupport
import Testing

@testable import Downloads

/// Which connection fetches what: every byte by one of them, and none of it twice.
@Suite struct SegmentPlanTests {
    private func connection(_ number: UInt64) -> ConnectionID { ConnectionID(number: number) }

    private func plan(_ held: ByteRangeSet = [], _ total: Int64? = 100, minimum: Int64 = 10) -> SegmentPlan {
        SegmentPlan(held: held, totalBytes: total, minimumBytes: minimum)
    }

    @Test func theFirstGapEndsWhereSomethingIsHeld() {
        var plan = plan([0..<20, 40..<50])
        #expect(plan.takeFirstGap(for: .first) == 20..<40)
        #expect(plan.take(for: connection(1), pieceBytes: 30) == 50..<80)
        #expect(plan.take(for: connection(2), pieceBytes: 30) == 80..<100)
        #expect(plan.missingBytes == 70)
    }

    @Test func nothingIsMissingFromTheWhole() {
        var plan = plan([0..<100])
        #expect(plan.isComplete)
        #expect(plan.takeFirstGap(for: .first).isEmpty)
        #expect(!plan.hasWork)
    }

    @Test func whatIsUnderWayIsCutToAPieceAndTheRestHandedOut() {
        var plan = plan()
        #expect(plan.takeFirstGap(for: .first) == 0..<100)
        #expect(plan.reserve(.first, countBytes: 5) == .init(position: 0, countBytes: 5, isPastTheEnd: false))
        #expect(plan.take(for: connection(1), pieceBytes: 20) == 25..<45)
        #expect(plan.take(for: connection(2), pieceBytes: 20) == 45..<65)
        // Of the first only what it has not begun to write was taken.
        #expect(plan.reserve(.first, countBytes: 99) == .init(position: 5, countBytes: 20, isPastTheEnd: false))
    }

    @Test func theLongestIsHalvedOnceNothingIsLeft() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        #expect(plan.take(for: connection(1), pieceBytes: 1000) == 50..<100)
        let halves = (2...3).map { plan.take(for: connection($0), pieceBytes: 1000) }
        #expect(Set(halves) == [25..<50, 75..<100])
        let quarters = (4...7).map { plan.take(for: connection($0), pieceBytes: 1000) }
        #expect(quarters.allSatisfy { $0?.count ?? 0 >= 10 })
        #expect(!plan.hasWork, "all are too short by now to be worth it")
    }

    @Test func whatWouldBeThereBeforeAnotherRequestsFirstByteIsNotDivided() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        plan.requestCostBytes = 40
        #expect(plan.take(for: connection(1), pieceBytes: 1000) == 70..<100)
        #expect(!plan.hasWork)
    }

    @Test func theEndIsTakenFromWhoeverWouldComeToItLater() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        _ = plan.take(for: connection(1), pieceBytes: 1000)
        #expect(plan.lacksEnd(countBytes: 20))
        #expect(plan.takeEnd(for: connection(2), countBytes: 20) == 80..<100)
        #expect(plan.segment(of: connection(1))?.end == 80)
        #expect(!plan.lacksEnd(countBytes: 20))
    }

    /// Else two would write the same bytes.
    @Test func anEndThatTwoAreBringingIsLeftToThem() {
        // In whatever order a dictionary has them.
        for numbers in [[1, 2, 3], [7, 5, 6], [12, 30, 21]] as [[UInt64]] {
            var plan = plan()
            _ = plan.takeFirstGap(for: .first)
            _ = plan.take(for: connection(numbers[0]), pieceBytes: 1000)
            _ = plan.take(for: connection(numbers[1]), pieceBytes: 1000)
            _ = plan.take(for: connection(numbers[2]), pieceBytes: 1000)
            #expect(!plan.lacksEnd(countBytes: 40))
            #expect(plan.takeEnd(for: connection(99), countBytes: 40) == nil)
            #expect(plan.segment(of: connection(numbers[0]))?.end == 75, "nobody is made to bring less")
        }
    }

    @Test func whatIsMuchSlowerIsOvertaken() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        #expect(plan.take(for: connection(1), pieceBytes: 1000) == 50..<100)
        _ = plan.reserve(connection(1), countBytes: 5)
        plan.requestCostBytes = 5
        #expect(plan.extend(.first, by: 60, upTo: 100) { _, _, _ in true }.isEmpty, "it is being written")
        plan.commit(connection(1))
        #expect(plan.extend(.first, by: 60, upTo: 100) { _, _, _ in false }.isEmpty)
        #expect(plan.extend(.first, by: 60, upTo: 100) { $1 == 45 && $2 == 50 } == [connection(1)])
        #expect(plan.held == [])
        #expect(plan.segment(of: .first)?.end == 100)
    }

    @Test func whatIsTooShortIsNotDivided() {
        var plan = plan([], 19)
        _ = plan.takeFirstGap(for: .first)
        #expect(!plan.hasWork)
        #expect(plan.take(for: connection(1), pieceBytes: 5) == nil)
    }

    @Test func aTailThatIsTooShortGoesWithItsPiece() {
        var plan = plan([0..<50])
        #expect(plan.take(for: connection(1), pieceBytes: 45) == 50..<100)
    }

    @Test func whatAConnectionHasNotBroughtComesBack() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        _ = plan.take(for: connection(1), pieceBytes: 50)
        _ = plan.reserve(connection(1), countBytes: 10)
        plan.commit(connection(1))
        // Reserved and never written: as if it had not come.
        _ = plan.reserve(connection(1), countBytes: 10)
        plan.release(connection(1))
        #expect(plan.held == [50..<60])
        #expect(plan.take(for: connection(2), pieceBytes: 50) == 60..<100)
    }

    @Test func whatOthersGaveBackIsBroughtByTheRequestThatComesToIt() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        #expect(plan.take(for: connection(1), pieceBytes: 30) == 30..<60)
        _ = plan.reserve(connection(1), countBytes: 1)
        #expect(plan.extend(.first, by: 50, upTo: 100).isEmpty)
        #expect(plan.segment(of: .first)?.end == 30, "another one fetches that")
        plan.release(connection(1))
        #expect(plan.extend(.first, by: 29, upTo: 100).isEmpty)
        #expect(plan.segment(of: .first)?.end == 30, "it hasn't come there yet")
        #expect(plan.extend(.first, by: 50, upTo: 90).isEmpty)
        #expect(plan.segment(of: .first)?.end == 90)
        #expect(plan.reserve(.first, countBytes: 50) == .init(position: 0, countBytes: 50, isPastTheEnd: false))
    }

    @Test func whatAnotherOneHasNotBegunToBringIsTaken() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        #expect(plan.take(for: connection(1), pieceBytes: 20) == 20..<40)
        #expect(plan.take(for: connection(2), pieceBytes: 20) == 40..<60)
        #expect(plan.extend(.first, by: 30, upTo: 100) == [connection(1)])
        #expect(plan.segment(of: .first)?.end == 40)
        #expect(plan.reserve(connection(1), countBytes: 5).countBytes == 0)
        #expect(plan.extend(.first, by: 40, upTo: 50).isEmpty, "nor does it go beyond its request")
    }

    @Test func aFewHeldBytesAreBroughtAgainWhereThatIsCheaper() {
        var plan = plan([50..<55])
        _ = plan.takeFirstGap(for: .first)
        plan.requestCostBytes = 4
        #expect(plan.extend(.first, by: 60, upTo: 100).isEmpty)
        #expect(plan.segment(of: .first)?.end == 50, "too many")
        plan.requestCostBytes = 5
        #expect(plan.extend(.first, by: 60, upTo: 100).isEmpty)
        #expect(plan.segment(of: .first)?.end == 100)
        #expect(plan.held == [])
        #expect(plan.missingBytes == 100)
    }

    @Test func anotherOnesRestIsTakenOver() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        _ = plan.reserve(.first, countBytes: 30)
        #expect(plan.takeOver(from: .first, for: connection(1)) == 30..<100)
        #expect(plan.takeOver(from: .first, for: connection(2)) == nil)
        #expect(plan.reserve(.first, countBytes: 30).countBytes == 0)
        plan.commit(.first)
        #expect(plan.held == [0..<30])
    }

    @Test func moreThanTheWholeIsTold() {
        var plan = plan()
        _ = plan.takeFirstGap(for: .first)
        #expect(plan.reserve(.first, countBytes: 101) == .init(position: 0, countBytes: 100, isPastTheEnd: true))
    }

    @Test func anUnknownLengthIsUpToTheLastPosition() {
        var plan = plan([0..<5], nil)
        #expect(plan.takeFirstGap(for: .first) == 5..<Int64.max)
        _ = plan.reserve(.first, countBytes: Int64.max)
        plan.commit(.first)
        #expect(plan.held == [0..<Int64.max])
        plan.setTotal(.max)
        #expect(plan.isComplete)
    }

    /// Any order of taking, bringing, giving up: no byte is handed to two, and in the end all are held.
    @Test func everyByteIsBroughtOnce() {
        var generator = Seed.generator(for: "segment plan")
        for _ in 0..<200 {
            let total = Int64.random(in: 0...5000, using: &generator)
            var plan = plan([], total, minimum: Int64.random(in: 1...50, using: &generator))
            var working: Set<ConnectionID> = []
            var writtenBytes: Int64 = 0
            if !plan.takeFirstGap(for: .first).isEmpty { working.insert(.first) }
            for step in 1... {
                guard !plan.isComplete else { break }
                let id = connection(UInt64.random(in: 0...5, using: &generator))
                if !working.contains(id) {
                    if plan.take(for: id, pieceBytes: Int64.random(in: 1...900, using: &generator)) != nil {
                        working.insert(id)
                    }
                } else if Int.random(in: 0..<9, using: &generator) == 0 {
                    plan.release(id)
                    working.remove(id)
                } else {
                    writtenBytes +=
                        plan.reserve(id, countBytes: Int64.random(in: 0...300, using: &generator)).countBytes
                    plan.commit(id)
                    if let segment = plan.segment(of: id), segment.position == segment.end {
                        plan.release(id)
                        working.remove(id)
                    }
                }
                guard step < 100_000 else {
                    Issue.record("it never ends: \(plan)")
                    return
                }
            }
            #expect(writtenBytes == total)
            #expect(plan.held.countBytes == total)
        }
    }
}
