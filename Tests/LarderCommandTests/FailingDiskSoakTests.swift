import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A disk that refuses at any step of a run, from then on: what readers see is whole, the run says what is wrong, and the next one completes.
@Suite(.serialized) struct FailingDiskSoakTests {
    /// Every so many of a run's calls; each of them in `make soak`.
    private static let interval = max(1, 12 / Parameters.rounds)

    private let editions: Editions
    private var stock: Stock { editions.stock }

    init() throws { editions = try Editions() }

    @Test(arguments: [ENOSPC, EDQUOT, EIO, EROFS, EACCES])
    func aRunTellsWhatIsWrongAndTheNextOneCompletes(code: Int32) async throws {
        editions.serve(1)
        let sync = stock.arguments(["--keep", "1", "--keep-age", "0s", "--jobs", "1"])
        #expect(try await LarderProgram.run(sync).status == .exited(0))
        let calls = try await FileCalls(beneath: editions.library)
        let log = stock.directory["calls"]
        editions.serve(2)
        #expect(try await LarderProgram.run(sync, environment: calls.environment(log: log)).status == .exited(0))
        let callCount = try RecordedCall.all(in: readFile(log)).count

        let reason = String(cString: strerror(code))
        var edition = 2
        var exits: [Int32: Int] = [:]
        for moment in stride(from: 1, through: callCount, by: Self.interval) {
            edition += 1
            editions.serve(edition)
            let refused = try await LarderProgram.run(
                sync, environment: calls.environment(.fail(code, persistently: true), at: .call(moment)))
            guard case .exited(let exit)? = refused.status else {
                Issue.record("call \(moment): \(refused)")
                return
            }
            exits[exit, default: 0] += 1
            let expected: Int32 = code == ENOSPC || code == EDQUOT ? 73 : 1
            // What goes wrong when readers see everything already is no failure, unless it may yet be undone.
            let isDone = try editions.published() == edition
            #expect(exit == expected || (isDone && exit == 0), "call \(moment): \(refused)")
            #expect(refused.errorText.contains(reason) || exit == 0, "call \(moment): \(refused)")
            #expect(try editions.problems() == [], "call \(moment)")
            #expect([edition - 1, edition].contains(try editions.published()), "call \(moment)")

            let next = try await LarderProgram.run(sync)
            #expect(next.status == .exited(0), "after call \(moment): \(next)")
            #expect(try editions.published() == edition)
            #expect(try editions.problems() == [], "after call \(moment)")
        }
        print(
            "Refused with \(reason): \(exits.map { "\($1) times exit \($0)" }.sorted()) of \(callCount) calls"
        )
    }
}
