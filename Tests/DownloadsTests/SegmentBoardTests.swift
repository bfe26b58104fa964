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
        var policy = SplitPolicy()
        (policy.minimumPieceBytes, policy.minimumRemainingBytes) = (10, 1)
        var board = SegmentBoard(url, held: ByteRangeSet(), totalBytes: nil, policy: policy)
        board.open()
        board.startAnew(totalBytes: 1000, maySplit: true)
        for second in 0..<2 {
            _ = board.reserve(.first, countBytes: 1)
            _ = board.commit(.first, now: start + .seconds(second))
        }
        return board
    }

    private func text(_ steps: [SegmentBoard.Step]) -> [String] {
        steps.map { step in
            switch step {
            case .ask(let id, _, let range): "ask \(id.number) \(range)"
            case .cut(let id): "cut \(id.number)"
            case .want(let count, _): "want \(count)"
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
        #expect(bring(10, .first, &board) == ["cut 0"])
        #expect(text(board.ended(.first, .cancelled)).first == "ask 0 22..<32")
    }

    @Test func onceBytesWereLeftOutTheRequestIsCutWhateverBecomesFree() {
        var board = board()
        _ = board.open(other, to: url)
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
        #expect(text(board.ended(.first, .complete)).last == "end")
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
