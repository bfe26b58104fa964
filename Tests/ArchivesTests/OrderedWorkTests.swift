import Testing

@testable import Archives

@Suite("Work that several do, told as if one had done it")
struct OrderedWorkTests {
    private func failure(_ reason: String) -> ArchiveError { ArchiveError(.corrupted, reason) }

    @Test("Pieces are taken in order, and told in order whatever order they are done in")
    func order() {
        var work = OrderedWork<String>(count: 3)
        #expect([work.take(), work.take(), work.take(), work.take()] == [0, 1, 2, nil])
        work.finish(2, with: "c")
        #expect(work.beginTelling().isEmpty)
        work.finish(0, with: "a")
        #expect(work.beginTelling() == ["a"])
        // Only one tells at a time: what is done meanwhile is for whoever tells already.
        work.finish(1, with: "b")
        #expect(work.beginTelling().isEmpty)
        #expect(work.continueTelling() == ["b", "c"])
        #expect(work.continueTelling().isEmpty)
    }

    @Test("The first failure in order counts; nothing new begins after one, and what comes before it goes on")
    func firstFailure() {
        var work = OrderedWork<String>(count: 4)
        for index in 0..<3 { #expect(work.take() == index) }
        work.fail(1, with: failure("second"))
        #expect(work.take() == nil)
        #expect(!work.isMoot(0))
        #expect(work.isMoot(2))
        work.fail(2, with: failure("third"))
        #expect(work.failure?.reason == "second")
        work.fail(0, with: failure("first"))
        #expect(work.failure?.reason == "first")
    }

    @Test("What lies behind a failure is never told")
    func nothingBehindAFailure() {
        var work = OrderedWork<String>(count: 3)
        for _ in 0..<3 { _ = work.take() }
        work.finish(2, with: "c")
        work.fail(1, with: failure("second"))
        work.finish(0, with: "a")
        #expect(work.beginTelling() == ["a"])
        #expect(work.continueTelling().isEmpty)
    }
}
