import FaultServer
import Glibc
import TestSupport
import Testing

/// A rollback that is killed outright at any moment: readers find one generation or the other, and what was to be left doesn't come back by itself.
@Suite(.serialized) struct KilledSteeringSoakTests {
    private let stock: Stock
    private let old = Content.pattern(lengthBytes: 1000, seed: 1)
    private let new = Content.pattern(lengthBytes: 1000, seed: 2)

    init() throws { stock = try Stock() }

    private func larder(_ command: String, _ more: String...) async throws {
        let result = try await LarderProgram.run([command, "--library", stock.library] + more)
        #expect(result.status == .exited(0), "\(result)")
    }

    private func sees(_ content: Content) throws -> Bool { try stock.difference("a", content) == nil }

    @Test func aKilledRollbackIsDoneOrUndone() async throws {
        for (serial, content) in [(1, old), (2, new)] {
            stock.serveManifest([stock.file("a", content)], serial: serial)
            #expect(try await stock.sync().status == .exited(0))
        }
        let clock = ContinuousClock()
        let whole = try await clock.measure { try await larder("rollback", "--to", "1") }
        var generator = Seed.generator(for: "killed rollback")
        for _ in 0..<20 * Parameters.rounds {
            try await larder("unpin")
            #expect(try await stock.refresh().status == .exited(0))
            #expect(try sees(new))
            let rollback = try LarderProgram.start(["rollback", "--to", "1", "--library", stock.library])
            usleep(UInt32.random(in: 0..<UInt32(max(1, whole / .microseconds(1))), using: &generator))
            rollback.kill(SIGKILL)
            _ = try await rollback.waitForExit()
            let isBack = try sees(old)
            #expect(try isBack || sees(new))
            let isPinned = access("\(stock.library)/.larder/pin", F_OK) == 0
            #expect(isPinned || !isBack, "back without a pin")
            #expect(try await stock.refresh().status == .exited(0))
            #expect(try sees(isBack ? old : new), "it stays as it is")
        }
    }
}
