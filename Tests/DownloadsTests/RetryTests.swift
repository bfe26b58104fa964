import Glibc
import Platform
import TestSupport
import Testing

@testable import Downloads
@testable import Transfer

/// Retries, delays and turns, as values.
@Suite struct RetryTests {
    private let policy = RetryPolicy()
    private var generator = SplitMix64(seed: 1)
    private static let lost = AttemptFailure(.transportFailure, "lost", .retry)
    private static let missing = AttemptFailure(.unacceptableStatus(404), "missing", .nextSource)

    private static func busy(_ seconds: Int) -> AttemptFailure {
        AttemptFailure(.unacceptableStatus(503), "busy", .retry, retryAfter: .seconds(seconds))
    }

    private func sources(_ count: Int) throws -> [TransferURL] {
        try (0..<count).map { try TransferURL("http://host\($0).example/") }
    }

    /// Plays failures against a rotation.
    /// - Returns: the index of the source that is asked next and the whole seconds waited before that; nil for giving up.
    private mutating func play(
        _ rotation: inout SourceRotation, _ failures: [AttemptFailure], isBound: Bool = false,
        policy: RetryPolicy? = nil
    ) -> [String] {
        failures.map { failure in
            switch rotation.next(after: failure, isBound: isBound, policy: policy ?? self.policy, using: &generator) {
            case .giveUp: "give up"
            case .waitForNetwork: "wait for a network"
            case .tryAgain(let delay):
                (delay == .zero ? "" : "wait ") + (rotation.current.host.first { $0.isNumber }.map(String.init) ?? "")
            }
        }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1 << 60)])
    mutating func aDelayOfAnyLengthIsBounded(_ baseDelay: Duration) {
        var policy = RetryPolicy()
        policy.baseDelay = baseDelay
        #expect(policy.delay(retry: 20, retryAfter: nil, using: &generator) <= policy.maximumDelay)
    }

    @Test mutating func oneSourceIsAskedAgainUntilPatienceEnds() throws {
        var rotation = SourceRotation(try sources(1))
        #expect(
            play(&rotation, Array(repeating: Self.lost, count: 6)) == Array(repeating: "wait 0", count: 5) + ["give up"]
        )
    }

    @Test mutating func progressGivesAllPatienceBack() throws {
        var rotation = SourceRotation(try sources(1))
        _ = play(&rotation, Array(repeating: Self.lost, count: 5))
        rotation.note(heldBytes: 10, from: rotation.current)
        #expect(play(&rotation, [Self.lost]) == ["wait 0"])
        _ = play(&rotation, Array(repeating: Self.lost, count: 4))
        rotation.note(heldBytes: 10, from: rotation.current)
        #expect(play(&rotation, [Self.lost]) == ["give up"], "the same bytes again are no progress")
    }

    @Test mutating func whatAMirrorBroughtGivesNoPatienceBack() throws {
        var rotation = SourceRotation(try sources(2))
        _ = play(&rotation, Array(repeating: Self.lost, count: 5), isBound: true)
        rotation.note(heldBytes: 10, from: try sources(2)[1])
        #expect(play(&rotation, [Self.lost], isBound: true) == ["1"])
    }

    @Test mutating func mirrorsTakeTurns() throws {
        var rotation = SourceRotation(try sources(3))
        #expect(play(&rotation, Array(repeating: Self.lost, count: 6)) == ["1", "2", "wait 0", "1", "2", "give up"])
    }

    @Test mutating func everyMirrorHasATurnHoweverFewTheRetries() throws {
        var impatient = policy
        impatient.retries = 0
        var rotation = SourceRotation(try sources(4))
        #expect(
            play(&rotation, Array(repeating: Self.lost, count: 4), policy: impatient) == ["1", "2", "3", "give up"])
    }

    @Test mutating func aSourceThatWillNotDoIsAskedNoMore() throws {
        var rotation = SourceRotation(try sources(3))
        #expect(
            play(&rotation, [Self.missing, Self.lost, Self.lost, Self.missing, Self.missing]) == [
                "1", "2", "wait 1", "2", "give up",
            ])
    }

    @Test mutating func boundBytesKeepTheirSource() throws {
        var rotation = SourceRotation(try sources(2))
        #expect(
            play(&rotation, Array(repeating: Self.lost, count: 7), isBound: true)
                == Array(repeating: "wait 0", count: 5) + ["1", "wait 1"])
    }

    @Test mutating func anAssetThatKeepsChangingIsGivenUp() throws {
        var rotation = SourceRotation(try sources(1))
        let changed = AttemptFailure(.changedWhileDownloading, "changed", .restart)
        #expect(play(&rotation, Array(repeating: changed, count: 4)) == ["0", "0", "0", "give up"])
    }

    @Test mutating func whatNoSourceCanHelpEndsAtOnce() throws {
        var rotation = SourceRotation(try sources(3))
        #expect(play(&rotation, [AttemptFailure(.noSpace, "full", .giveUp)]) == ["give up"])
    }

    @Test func aFullDiskEndsTheDownloadAndKeepsTheBytes() {
        for code in [ENOSPC, EDQUOT] {
            let full = SystemError(code: code, operation: "write", subject: "x")
            let failure = AttemptFailure(TransferError.consumerFailed(full))
            #expect(failure.error.code == .noSpace)
            #expect(failure.remedy == .giveUp)
            #expect(!failure.discardsBytes)
        }
    }

    @Test mutating func aServersWishIsHonoured() throws {
        var one = SourceRotation(try sources(1))
        #expect(one.next(after: Self.busy(7), policy: policy, using: &generator) == .tryAgain(after: .seconds(7)))
        #expect(one.next(after: Self.busy(0), policy: policy, using: &generator) == .tryAgain(after: .zero))
        #expect(one.next(after: Self.busy(9999), policy: policy, using: &generator) == .tryAgain(after: .seconds(300)))
        var two = SourceRotation(try sources(2))
        #expect(two.next(after: Self.busy(9), policy: policy, using: &generator) == .tryAgain(after: .zero))
        #expect(two.next(after: Self.busy(5), policy: policy, using: &generator) == .tryAgain(after: .seconds(5)))
        #expect(two.next(after: Self.busy(9), policy: policy, using: &generator) == .tryAgain(after: .zero))
        guard case .tryAgain(let delay) = two.next(after: Self.lost, policy: policy, using: &generator) else { return }
        #expect(delay <= .seconds(1), "one of them didn't ask for patience")
    }

    @Test mutating func delaysGrowWithJitterUpToABound() {
        for retry in 0..<40 {
            let longest = min(.seconds(30), .milliseconds(500) * (1 << min(retry, 20)))
            var seen: Set<Duration> = []
            for _ in 0..<20 {
                let delay = policy.delay(retry: retry, retryAfter: nil, using: &generator)
                #expect(delay <= longest && delay >= longest / 2)
                seen.insert(delay)
            }
            #expect(seen.count > 10)
        }
        #expect(policy.delay(retry: 0, retryAfter: .seconds(-5), using: &generator) == .zero)
    }

    @Test func doubtfulSourcesAreAvoidedOnlyBeforeTheFirstTry() throws {
        var reputation = SourceReputation()
        let sources = try sources(2)
        reputation.note(AttemptFailure(.unreachable("away")), at: sources[0])
        #expect(reputation.isDoubtful(sources[0]))
        #expect(!reputation.isDoubtful(sources[1]))
        var rotation = SourceRotation(sources)
        let moved = rotation.avoid(reputation.isDoubtful)
        #expect(moved && rotation.current == sources[1])
        var alone = SourceRotation([sources[0]])
        let movedAlone = alone.avoid(reputation.isDoubtful)
        #expect(!movedAlone)
        reputation.noteDelivery(from: sources[0])
        #expect(!reputation.isDoubtful(sources[0]), "whoever delivers isn't away")
    }

    @Test func wrongBytesAreNotForgiven() throws {
        var reputation = SourceReputation()
        let url = try TransferURL("http://a.example/x")
        var failure = AttemptFailure(.digestMismatch, "other bytes", .nextSource)
        failure.fault = .wrongBytes
        reputation.note(failure, at: url)
        reputation.note(AttemptFailure(.unreachable("away")), at: url)
        reputation.noteDelivery(from: url)
        #expect(reputation.isDoubtful(try TransferURL("http://a.example/y")), "the whole origin")
        #expect(!reputation.isDoubtful(try TransferURL("http://a.example:81/x")))
    }

    @Test(
        arguments: [
            ("7", nil, 7), ("0", nil, 0), ("99999999999", nil, 1 << 31),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:30 GMT", 7),
            ("Sun, 06 Nov 1994 08:49:30 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 0), ("soon", nil, nil), ("-7", nil, nil),
            ("Sun, 06 Nov 1994 08:49:30 GMT", nil, 0),
        ] as [(String, String?, Int64?)])
    func readsRetryAfter(_ value: String, _ date: String?, _ seconds: Int64?) throws {
        var headers: HeaderFields = ["Retry-After": value]
        if let date { headers.append("Date", date) }
        let response = TransferResponse(
            status: 503, headers: headers, url: try TransferURL("http://a.example/"), redirectCount: 0, framing: .length
        )
        #expect(response.retryAfter == seconds.map { .seconds($0) })
    }
}

/// Which of the waiting downloads starts next.
@Suite struct TransferQueueTests {
    private var queue = TransferQueue(maximum: 3, maximumPerHost: 2)

    private func ticket(_ number: UInt64, _ host: String, priority: Int = 0) -> TransferQueue.Ticket {
        TransferQueue.Ticket(id: DownloadID(number: number), priority: priority, sequence: number, host: host)
    }

    private mutating func startAll() -> [UInt64] {
        var started: [UInt64] = []
        while let id = queue.startNext() { started.append(id.number) }
        return started
    }

    @Test mutating func theOldestFirstWithinTheBounds() {
        for number in 1...6 { queue.add(ticket(UInt64(number), number <= 4 ? "a" : "b")) }
        #expect(startAll() == [1, 2, 5])
        queue.release(DownloadID(number: 1))
        #expect(startAll() == [3])
        queue.release(DownloadID(number: 5))
        #expect(startAll() == [6], "there are two of the other host already")
        #expect(queue.runningCount == 3)
        #expect(queue.waitingCount == 1)
    }

    @Test mutating func theHighestPriorityFirst() {
        queue.add(ticket(1, "a"))
        queue.add(ticket(2, "b", priority: 1))
        queue.add(ticket(3, "c", priority: 2))
        queue.add(ticket(1, "a", priority: 3))
        #expect(startAll() == [1, 3, 2])
    }

    @Test mutating func aTicketThatWasReplacedOrRemovedDoesNotCount() {
        queue.add(ticket(1, "a", priority: 5))
        queue.add(ticket(1, "b", priority: 0))
        queue.add(ticket(2, "a", priority: 1))
        queue.add(ticket(3, "a", priority: 9))
        queue.remove(DownloadID(number: 3))
        #expect(startAll() == [2, 1])
        #expect(queue.waitingCount == 0)
    }

    @Test mutating func aHostThatChangedIsTheOneThatIsCounted() {
        queue.add(ticket(1, "a"))
        queue.add(ticket(1, "b"))
        queue.add(ticket(2, "b"))
        queue.add(ticket(3, "b"))
        #expect(startAll() == [1, 2], "both of the two for b")
    }

    @Test mutating func boundsBelowOneStillLetOneRun() {
        queue = TransferQueue(maximum: 0, maximumPerHost: 0)
        queue.add(ticket(1, "a"))
        queue.add(ticket(2, "b"))
        #expect(startAll() == [1])
        queue.release(DownloadID(number: 7))
        #expect(queue.runningCount == 1)
    }

    @Test mutating func keepsItsOrderThroughRandomUse() {
        var generator = Seed.generator(for: "transfer queue")
        queue = TransferQueue(maximum: 1, maximumPerHost: 1)
        var waiting: [UInt64: Int] = [:]
        for number in UInt64(1)...300 {
            let priority = Int.random(in: 0...9, using: &generator)
            waiting[number] = priority
            queue.add(ticket(number, "host\(number % 7)", priority: priority))
            if let victim = waiting.keys.randomElement(using: &generator), number % 5 == 0 {
                waiting[victim] = nil
                queue.remove(DownloadID(number: victim))
            }
        }
        while let id = queue.startNext() {
            let expected = waiting.max { ($0.value, $1.key) < ($1.value, $0.key) }
            #expect(id.number == expected?.key)
            waiting[id.number] = nil
            queue.release(id)
        }
        #expect(waiting.isEmpty)
    }
}
