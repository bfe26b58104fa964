import Platform
import Testing
import Transfer

@testable import Downloads

/// What a try decides about its connections, without any network.
@Suite struct SegmentBoardTests {
    private let url: TransferURL
    private let other = ConnectionID(number: 7)

    private let start = ContinuousClock.now

    init() throws { url = try TransferURL("http://a.example/1") }

    /// A thousand bytes, two of which came so slowly that further connections are wanted. Pieces are of ten bytes.
    private func board() -> SegmentBoard {
        var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: nil, policy: quickPolicy)
        board.open()
        board.startAnew(totalBytes: 1000, maySplit: true)
        for (count, half) in [(1, 0), (0, 1), (1, 2)] {
            _ = board.reserve(.first, countBytes: count)
            _ = board.commit(.first, now: start + .milliseconds(500 * half))
        }
        return board
    }

    private var quickPolicy: SplitPolicy {
        var policy = SplitPolicy()
        (policy.minimumPieceBytes, policy.minimumRemainingBytes) = (10, 1)
        return policy
    }

    private func text(_ steps: [SegmentBoard.Step]) -> [String] {
        steps.map { step in
            switch step {
            case .ask(let id, _, let range): "ask \(id.number) \(range)"
            case .cut(let id): "cut \(id.number)"
            case .want(let count, _): "want \(count)"
            case .wantEnd: "want end"
            case .review: "review"
            case .left(let id, let failure): "left \(id.number)\(failure == nil ? "" : " failed")"
            case .end: "end"
            }
        }
    }

    private func bring(_ count: Int, _ id: ConnectionID, _ board: inout SegmentBoard) -> [String] {
        _ = board.reserve(id, countBytes: count)
        return text(board.commit(id, now: start + .seconds(1)))
    }

    private let lost = SegmentBoard.RequestEnd.failed(AttemptFailure(.transportFailure, "lost", .retry), isFatal: false)

    private func isCompleted(_ board: SegmentBoard) -> Bool {
        if case .completed = board.outcome { true } else { false }
    }

    @Test func aFurtherConnectionTakesPartOfTheFirstOnesWork() {
        var board = board()
        #expect(text(board.open(other, to: url)) == ["ask 7 12..<22"])
        #expect(bring(1, other, &board) == [])
        #expect(bring(10, .first, &board) == ["cut 0"])
        #expect(text(board.ended(.first, .cancelled)).first == "ask 0 22..<32")
    }

    /// Who knows whether anything ever comes of it: a link may be good for one request only.
    @Test func theFirstRequestRunsOnUntilAnotherOneBringsSomething() {
        var board = board()
        _ = board.open(other, to: url)
        #expect(bring(20, .first, &board) == ["cut 7", "want 6"], "one that never brought anything goes")
        #expect(text(board.ended(other, .cancelled)) == ["left 7"])
        #expect(bring(978, .first, &board).contains("cut 0") == false)
        #expect(board.plan.isComplete)
    }

    @Test func aConnectionThatHasHelpedGetsOtherWork() {
        var board = board()
        _ = board.open(other, to: url)
        _ = bring(10, other, &board)
        #expect(text(board.ended(other, .complete(.whole))) == ["ask 7 22..<32"])
        _ = board.ended(.first, lost)
        _ = board.open(ConnectionID(number: 8), to: url)
        #expect(board.plan.segment(of: ConnectionID(number: 8))?.position == 2)
    }

    /// A failure that lies some time back is no reason to end what others have carried on.
    @Test func theFirstIsTriedAgainOnceTheOthersAreTakenBack() {
        var board = board()
        _ = board.open(other, to: url)
        _ = board.ended(.first, lost)
        _ = bring(5, other, &board)
        #expect(text(board.close(other)) == ["cut 7"])
        #expect(text(board.ended(other, .cancelled)) == ["ask 0 2..<12", "left 7"])
        #expect(text(board.ended(.first, lost)).last == "end", "once is enough")
    }

    @Test func nothingIsTriedAgainWhereNobodyBroughtAnything() {
        var board = board()
        _ = board.open(other, to: url)
        _ = board.ended(.first, lost)
        _ = board.close(other)
        #expect(text(board.ended(other, .cancelled)).last == "end")
    }

    /// Else each would end at another time, and ask once more for what is left.
    @Test func connectionsThatAreOpenedTogetherGetEqualPieces() {
        var policy = quickPolicy
        policy.pieceTime = .seconds(1000)
        var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: 1000, policy: policy)
        board.open()
        board.goOn(totalBytes: 1000, maySplit: true)
        for second in [0, 0.5, 1] {
            _ = board.reserve(.first, countBytes: 2)
            _ = board.commit(.first, now: start + .seconds(second))
        }
        let pieces = (7...13).flatMap { number in
            text(board.open(ConnectionID(number: number), to: url, now: start + .seconds(1)))
        }
        #expect(
            pieces == [
                "ask 7 130..<254", "ask 8 254..<378", "ask 9 378..<502", "ask 10 502..<626", "ask 11 626..<750",
                "ask 12 750..<874", "ask 13 874..<1000",
            ])
    }

    @Test func whoIsOpenedForTheEndBringsThatAndGoes() {
        var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: nil, policy: quickPolicy)
        board.open()
        board.startAnew(totalBytes: 1000, maySplit: true)
        _ = bring(1, .first, &board)
        #expect(text(board.wantEnd()) == ["want end"])
        #expect(text(board.open(other, to: url, isForEnd: true)) == ["ask 7 985..<1000"])
        #expect(bring(15, other, &board) == [])
        #expect(!board.isSplit, "it is of the same source and version")
        #expect(text(board.ended(other, .complete(.whole))) == ["left 7"])
        #expect(bring(984, .first, &board) == ["cut 0"])
        #expect(text(board.ended(.first, .cancelled)) == ["end"])
        #expect(isCompleted(board))
    }

    /// Its version may be another one, which only the digest of the whole would tell.
    @Test func theEndDoesNotComeFromAnotherSource() throws {
        var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: nil, policy: quickPolicy)
        board.open()
        board.startAnew(totalBytes: 1000, maySplit: true)
        let mirror = try TransferURL("http://b.example/1")
        #expect(text(board.open(other, to: mirror, isForEnd: true)) == ["left 7"])
        #expect(text(board.open(other, to: url)) == ["ask 7 10..<20"], "nor does whoever was opened for something else")
        #expect(board.isSplit)
    }

    @Test func anEndThatIsHereIsNotWanted() {
        var board = SegmentBoard(url, held: [0..<100, 985..<1000], totalBytes: 1000, policy: quickPolicy)
        board.open()
        board.goOn(totalBytes: 1000, maySplit: true)
        #expect(text(board.wantEnd()) == [])
        #expect(text(board.open(other, to: url, isForEnd: true)) == ["left 7"], "nor is there other work for it")
    }

    /// It is gone in a moment, and others have the whole link again.
    @Test func whatCameForTheEndMakesNoRate() {
        func rateful(bringsEnd: Bool) -> SegmentBoard {
            var policy = quickPolicy
            (policy.minimumRemaining, policy.measuringTime) = (.seconds(1), .milliseconds(100))
            var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: nil, policy: policy)
            board.open()
            board.startAnew(totalBytes: 1000, maySplit: true)
            _ = board.reserve(.first, countBytes: 1)
            _ = board.commit(.first, now: start)
            if bringsEnd {
                _ = board.open(other, to: url, isForEnd: true, now: start)
                _ = board.reserve(other, countBytes: 15)
                _ = board.commit(other, now: start)
                _ = board.ended(other, .complete(.whole), now: start)
            }
            for second in 1...4 {
                _ = board.reserve(.first, countBytes: 10)
                _ = board.commit(.first, now: start + .seconds(second))
            }
            return board
        }
        let (with, without) = (rateful(bringsEnd: true), rateful(bringsEnd: false))
        #expect(with.pace.time(for: 100) == without.pace.time(for: 100))
        #expect(with.pace.time(for: 100) != nil)
    }

    /// Else more connections would seem to be of use over a link that one fills.
    @Test func whoBringsTheEndTakesOfTheRate() {
        var policy = quickPolicy
        (policy.minimumRemaining, policy.measuringTime) = (.seconds(50), .milliseconds(100))
        var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: nil, policy: policy)
        board.open()
        board.startAnew(totalBytes: 1000, maySplit: true)
        _ = board.open(other, to: url, isForEnd: true, now: start)
        var steps: [SegmentBoard.Step] = []
        for second in [0, 0.1, 0.2, 0.3] {
            for id in [.first, other] {
                _ = board.reserve(id, countBytes: 1)
                steps += board.commit(id, now: start + .seconds(second))
            }
        }
        #expect(text(steps) == [])
        #expect(board.pace.time(for: 1) == .milliseconds(100), "that is known by now")
    }

    @Test func theEndThatWasNotBroughtIsTheFirstOnesAgain() {
        var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: nil, policy: quickPolicy)
        board.open()
        board.startAnew(totalBytes: 1000, maySplit: true)
        _ = board.open(other, to: url, isForEnd: true)
        #expect(text(board.ended(other, lost)) == ["left 7 failed"])
        #expect(bring(1000, .first, &board) == [])
        #expect(text(board.ended(.first, .complete(.whole))) == ["end"])
        #expect(isCompleted(board))
    }

    @Test func noEndIsWantedOfWhatIsNotSplit() {
        var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: nil, policy: quickPolicy)
        board.open()
        board.startAnew(totalBytes: 1000, maySplit: false)
        #expect(text(board.wantEnd()) == [])
    }

    /// Else nobody would ever wait until its reply begins.
    @Test func nothingIsExpectedOfAConnectionBeforeOthersHadBegun() {
        var policy = quickPolicy
        policy.minimumRemaining = .seconds(7)
        var board = SegmentBoard(url, held: [0..<940], totalBytes: 1000, policy: policy)
        func bring(_ count: Int, _ id: ConnectionID, atSecond second: Double) {
            _ = board.reserve(id, countBytes: count)
            _ = board.commit(id, now: start + .seconds(second))
        }
        board.open()
        board.goOn(totalBytes: 1000, maySplit: true)
        for second in [0, 0.5, 1] { bring(2, .first, atSecond: second) }
        #expect(text(board.open(other, to: url, now: start + .seconds(1))) == ["ask 7 966..<986"])
        bring(20, other, atSecond: 5)
        #expect(text(board.ended(other, .complete(.whole), now: start + .seconds(6))) == ["ask 7 986..<1000"])
        bring(16, .first, atSecond: 7.9)
        let (early, late) = (ConnectionID(number: 8), ConnectionID(number: 9))
        #expect(text(board.open(early, to: url, now: start + .seconds(8))).contains("left 8"), "it took four seconds")
        #expect(text(board.open(late, to: url, now: start + .seconds(16))) == ["cut 7", "ask 9 986..<1000"])
    }

    /// At ten times the others' pace it would take ten times as long.
    @Test func theRestOfASlowConnectionIsTakenOver() {
        var policy = quickPolicy
        policy.minimumRemaining = .milliseconds(50)
        var board = SegmentBoard(url, held: [0..<985], totalBytes: 1000, policy: policy)
        board.open()
        board.goOn(totalBytes: 1000, maySplit: true)
        for (count, half) in [(2, 0), (2, 1), (2, 2)] {
            _ = board.reserve(.first, countBytes: count)
            _ = board.commit(.first, now: start + .milliseconds(500 * half))
        }
        #expect(text(board.review(now: start + .seconds(2))) == ["review"], "it isn't slow")
        #expect(text(board.review(now: start + .seconds(120))) == ["want 1", "review"])
        let steps = text(board.open(other, to: url, now: start + .seconds(120)))
        #expect(steps == ["cut 0", "ask 7 991..<1000"])
        #expect(board.reserve(.first, countBytes: 5).countBytes == 0)
    }

    @Test func onceBytesWereLeftOutTheRequestIsCutWhateverBecomesFree() {
        var board = board()
        _ = board.open(other, to: url)
        _ = bring(1, other, &board)
        #expect(board.reserve(.first, countBytes: 200).countBytes == 10)
        _ = board.ended(other, .failed(AttemptFailure(.invalidResponse, "200", .nextSource), isFatal: false))
        #expect(text(board.commit(.first, now: start)).contains("cut 0"))
        #expect(board.reserve(.first, countBytes: 100).countBytes == 0, "what follows would stand in the wrong place")
    }

    @Test func whatAFurtherConnectionCannotBringTheFirstGoesOnWith() {
        var board = board()
        _ = board.open(other, to: url)
        let refusal = AttemptFailure(.invalidResponse, "200", .nextSource)
        #expect(text(board.ended(other, .failed(refusal, isFatal: false))) == ["left 7 failed"])
        #expect(bring(998, .first, &board) == ["want 0"])
        #expect(text(board.ended(.first, .complete(.whole))).last == "end")
        #expect(isCompleted(board))
    }

    @Test func theLastConnectionEndsTheTryWithTheFirstOnesFailure() {
        var board = board()
        _ = board.open(other, to: url)
        _ = board.ended(.first, lost)
        _ = board.ended(.first, lost)
        #expect(text(board.ended(other, lost)).last == "end")
        guard case .failed(let failure) = board.outcome else {
            Issue.record("\(board.outcome)")
            return
        }
        #expect(failure.error.message == "lost")
    }

    @Test func aConnectionThatBroughtSomethingIsAskedAgain() {
        var board = board()
        _ = board.open(other, to: url)
        _ = bring(5, other, &board)
        #expect(text(board.ended(other, lost)) == ["ask 7 17..<27"])
        #expect(text(board.ended(other, lost)).contains("left 7 failed"), "but not again and again for nothing")
    }

    @Test func aReplyThatGoesOnBehindItsRangeIsCutOnce() {
        var board = board()
        _ = board.open(other, to: url)
        #expect(text(board.overflowed(other)) == ["cut 7"])
        #expect(text(board.overflowed(other)) == [])
        #expect(text(board.ended(other, .cancelled)).first?.hasPrefix("ask 7") == true, "and the connection goes on")
    }

    @Test func whatCannotBeHelpedEndsAll() {
        var board = board()
        _ = board.open(other, to: url)
        let full = AttemptFailure(.noSpace, "full", .giveUp)
        #expect(text(board.ended(other, .failed(full, isFatal: true))).contains("cut 0"))
        #expect(text(board.ended(.first, .cancelled)).last == "end")
        guard case .failed(let failure) = board.outcome else {
            Issue.record("\(board.outcome)")
            return
        }
        #expect(failure.error.code == .noSpace)
    }

    @Test func theEndOfTheSessionStopsAllAndKeepsWhatIsHeld() {
        var board = board()
        _ = board.open(other, to: url)
        _ = bring(5, other, &board)
        _ = board.ended(other, .cancelled)
        #expect(text(board.open(ConnectionID(number: 8), to: url)).contains("left 8"))
        #expect(text(board.ended(.first, .cancelled)).last == "end")
        guard case .stopped = board.outcome else {
            Issue.record("\(board.outcome)")
            return
        }
        #expect(board.plan.held == [0..<2, 12..<17])
    }

    @Test func aClosedConnectionLeavesItsRestToOthers() {
        var board = board()
        _ = board.open(other, to: url)
        _ = bring(5, other, &board)
        #expect(text(board.close(other)) == ["cut 7"])
        #expect(text(board.close(other)) == [], "once is enough")
        #expect(text(board.ended(other, .cancelled)) == ["left 7"])
        #expect(board.plan.hasFreeWork)
    }

    @Test func aReplyThatWasRefusedIsNeverTheWhole() {
        var board = SegmentBoard(url, held: [0..<9], totalBytes: 9, policy: SplitPolicy())
        board.open()
        _ = board.ended(.first, .failed(AttemptFailure(.changedWhileDownloading, "x", .restart), isFatal: false))
        #expect(!isCompleted(board))
    }
}
