import Glibc
import TestSupport
import Testing

/// A copy of 2,000 segments that is killed outright, again and again: in the end it is what an undisturbed run makes, and hardly anything came twice.
@Suite(.serialized) struct KilledPresentationSoakTests {
    private static let kills = 20
    /// Transfers at once, each of which brings one segment at a time; as many more may be whole and not yet in their places.
    private static let transfers = 6

    @Test(arguments: 0..<Parameters.rounds)
    func twentyKillsCostNoMoreThanWhatWasInFlight(round: Int) async throws {
        let presentation = RealPresentation.shortSegments
        let published = try await PublishedPresentation(presentation)
        func arguments(_ library: String) throws -> [String] {
            try published.arguments(
                presentation.entry, library: library, ["--jobs", "\(Self.transfers)", "--json"])
        }
        let undisturbed = try await LarderProgram.run(try arguments("undisturbed"))
        try #require(undisturbed.status == .exited(0), "\(undisturbed)")

        // What a run has to tell grows with what it has done: so much of that is a moment, and what is left is less each time.
        var generator = Seed.generator(for: "killed presentation \(round)")
        let all = undisturbed.output.count * 9 / 10
        let moments = (0..<Self.kills).map { _ in Int.random(in: 0..<all, using: &generator) }.sorted()
        for (last, moment) in zip([0] + moments, moments) {
            let program = try LarderProgram.start(try arguments("library"))
            try await program.wait(for: "the moment to kill it", within: .seconds(60)) { result in
                result.output.count > moment - last ? () : nil
            }
            program.kill(SIGKILL)
            #expect(try await program.waitForExit().status == .signalled(SIGKILL))
        }
        let run = try await LarderProgram.run(try arguments("library"))
        #expect(run.status == .exited(0), "\(run)")
        #expect(try treeDifferences(published.folder["undisturbed/current/m/film"], published.copy) == [])

        let accesses = try await published.nginx.finish()
        // A run asks whether what it has is still the same: such an answer has no body.
        let segments = accesses.filter { $0.target.hasSuffix(".ts") && $0.bodyBytesSent > 0 }
        let expected = Set(segments.map(\.target)).count
        #expect(expected == 2000)
        // The undisturbed run had each of them once, too.
        let twice = segments.count - 2 * expected
        #expect(twice <= Self.kills * 2 * Self.transfers, "\(twice) segments were sent twice")
    }
}
