import BundleManifest
import Testing

@testable import Jobs

@Suite struct BundleOrderTests {
    private func order(of bundles: [Bundle]) -> BundleOrder {
        BundleOrder(bundles.map { (BundleOrder.Index(manifest: 0, bundle: $0.id.text), $0) })
    }

    private func index(_ id: String, _ manifest: Int = 0) -> BundleOrder.Index {
        BundleOrder.Index(manifest: manifest, bundle: id)
    }

    @Test func theHighestPriorityGoesFirstAndThenTheOrderOfTheManifest() throws {
        var order = order(
            of: try bundles(book("a"), book("b", #""priority": 5"#), book("c"), book("d", #""priority": 5"#)))
        #expect(
            (0..<5).map { _ in order.next() } == [
                .start(index("b")), .start(index("d")), .start(index("a")), .start(index("c")), .none,
            ])
    }

    @Test func aBundleWaitsForThoseItComesAfter() throws {
        var order = order(
            of: try bundles(book("last", #""after": ["x", "y"], "priority": 9"#), book("x"), book("y")))
        #expect([order.next(), order.next(), order.next()] == [.start(index("x")), .start(index("y")), .none])
        order.finish(index("x"), succeeded: true)
        #expect(order.next() == .none)
        order.finish(index("y"), succeeded: true)
        #expect(order.next() == .start(index("last")))
    }

    @Test func aFailureSkipsWhateverComesAfterItHoweverFar() throws {
        var order = order(
            of: try bundles(book("a"), book("b", #""after": ["a"]"#), book("c", #""after": ["b"]"#), book("d")))
        #expect([order.next(), order.next()] == [.start(index("a")), .start(index("d"))])
        order.finish(index("a"), succeeded: false)
        #expect(order.next() == .skip(index("b"), failed: index("a")))
        #expect(order.next() == .skip(index("c"), failed: index("b")))
        #expect(order.next() == .none)
    }

    @Test func whatIsNotPartOfTheRunIsNotWaitedFor() throws {
        let all = try bundles(book("a"), book("b", #""after": ["a"]"#))
        var order = order(of: [all[1]])
        #expect(order.next() == .start(index("b")))
    }

    @Test func manifestsDoNotWaitForEachOthersBundlesOfTheSameName() throws {
        let all = try bundles(book("a"), book("b", #""after": ["a"]"#))
        var order = BundleOrder([(index("a", 0), all[0]), (index("b", 1), all[1])])
        #expect([order.next(), order.next()] == [.start(index("a", 0)), .start(index("b", 1))])
    }

    /// Each costs the same however many there are.
    @Test(.timeLimit(.minutes(1))) func aHundredThousandAreToldInTurn() throws {
        let all = try bundles(book("a"), book("b", #""after": ["a"]"#))
        let count = 100_000
        var order = BundleOrder(
            [(index("a"), all[0])] + (0..<count).map { (index("b\($0)"), all[1]) }
                + (0..<count).map { (index("a\($0)"), all[0]) })
        #expect(order.next() == .start(index("a")))
        var isInTurn = true
        for number in 0..<count {
            isInTurn = isInTurn && order.next() == .start(index("a\(number)"))
            order.finish(index("a\(number)"), succeeded: false)
        }
        order.finish(index("a"), succeeded: false)
        for number in 0..<count {
            isInTurn = isInTurn && order.next() == .skip(index("b\(number)"), failed: index("a"))
        }
        #expect(isInTurn)
        #expect(order.next() == .none)
    }

    @Test func whoFollowsSeveralIsToldOnceOfTheFirstThatFails() throws {
        var order = order(of: try bundles(book("x"), book("y"), book("last", #""after": ["x", "y"]"#)))
        #expect([order.next(), order.next()] == [.start(index("x")), .start(index("y"))])
        order.finish(index("y"), succeeded: false)
        #expect(order.next() == .skip(index("last"), failed: index("y")))
        order.finish(index("x"), succeeded: true)
        #expect(order.next() == .none)
    }
}
