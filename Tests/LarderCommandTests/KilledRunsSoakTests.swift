import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// Runs of every kind that are killed at any moment, counted in the calls by which they change files: the library opens, what readers see is whole,
/// the next run completes, and after a clean nothing is left that nobody needs.
@Suite(.serialized) struct KilledRunsSoakTests {
    /// What is killed.
    enum Victim: String, CaseIterable {
        case sync, refresh
        /// A sync that has everything and is about to let readers see it.
        case publish
        case clean
        /// A `verify --repair` of what is damaged.
        case repair
    }

    /// Of each kind; in `make soak` sixty.
    private static let victims = 3 * Parameters.rounds

    private let editions: Editions
    private var stock: Stock { editions.stock }

    init() throws { editions = try Editions() }

    @Test(arguments: Victim.allCases)
    func theLibraryIsWholeAndTheNextRunCompletes(victim: Victim) async throws {
        var generator = Seed.generator(for: "killed \(victim)")
        let calls = try await FileCalls(beneath: editions.library)
        editions.serve(1)
        #expect(try await LarderProgram.run(arguments(.sync)).status == .exited(0))
        var edition = try await prepare(victim, after: 1)
        let log = stock.directory["calls"]
        #expect(
            try await LarderProgram.run(arguments(victim), environment: calls.environment(log: log)).status
                == .exited(0))
        // Flushes and failures are calls, too, that the log doesn't have one by one: the last moments may be past the end.
        let callCount = try RecordedCall.all(in: readFile(log)).count
        let moments = victim == .publish ? callCount * 2 / 3...callCount : 1...callCount

        for number in 0..<Self.victims {
            edition = try await prepare(victim, after: edition)
            let damage = try editions.problems()
            // Sometimes the run that is to mend it is killed, too.
            let kills = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                Int.random(in: moments, using: &generator)
            }
            var problems: [String] = []
            for moment in kills {
                let killed = try await LarderProgram.run(
                    arguments(victim), environment: calls.environment(.kill, at: .call(moment)))
                #expect([.signalled(SIGKILL), .exited(0)].contains(killed.status), "\(killed)")
                problems += try editions.problems().filter { !damage.contains($0) }
                #expect([edition - 1, edition].contains(try editions.published()))
            }

            let next = try await LarderProgram.run(arguments(victim))
            #expect(next.status == .exited(0), "\(victim) \(number), killed at calls \(kills): \(next)")
            problems += try editions.problems()
            #expect(try editions.published() == edition)
            let clean = try await LarderProgram.run(arguments(.clean))
            #expect(clean.status == .exited(0), "\(clean)")
            problems += try LibraryAudit(path: editions.library).orphans().map { "left after clean: \($0)" }
            #expect(problems == [], "\(victim) \(number), killed at calls \(kills)")
        }
        print("Killed: \(victim), \(Self.victims) runs at one of \(callCount) calls")
    }

    /// - Returns: the edition that readers see when the next run has completed.
    private func prepare(_ victim: Victim, after edition: Int) async throws -> Int {
        switch victim {
        case .sync, .refresh, .publish:
            editions.serve(edition + 1)
            return edition + 1
        case .clean: try editions.leaveBehind()
        case .repair: try editions.damage()
        }
        return edition
    }

    private func arguments(_ victim: Victim) -> [String] {
        let sync = stock.arguments(["--keep", "1", "--keep-age", "0s", "--quiet"])
        return switch victim {
        case .sync, .publish: sync
        case .refresh: ["refresh"] + sync.dropFirst()
        case .clean: ["clean", "--library", editions.library]
        case .repair: ["verify", "--repair", "--library", editions.library, "--min-free", "0", "--quiet"]
        }
    }
}

/// A kill between the two renames of a commit, and around them.
@Suite struct KilledCommitTests {
    private let stock: Stock
    private let content = Content.pattern(lengthBytes: 100_000, seed: 1)

    init() throws {
        stock = try Stock()
        stock.serveManifest([stock.file("a", content)])
    }

    /// - Parameter path: what is about to be made or renamed when the program is killed.
    @Test(arguments: ["store/m", "store/m/a", "store/m/a/", ".receipt", ".000001.new", "generations/000001", "current"])
    func whatIsWholeIsNotFetchedAgain(path: String) async throws {
        let operation =
            path.hasSuffix("/") || [".receipt", "generations/000001", "current"].contains(path)
            ? "rename" : "mkdir"
        let calls = try await FileCalls(beneath: stock.library)
        let killed = try await LarderProgram.run(
            stock.arguments(), environment: calls.environment(.kill, at: .first(operation, on: path)))
        #expect(killed.status == .signalled(SIGKILL), "\(killed)")
        #expect(try stock.published() == [])

        let next = try await stock.sync("--json")
        #expect(next.status == .exited(0), "\(next)")
        #expect(try stock.difference("a", content) == nil)
        #expect(stock.server.bodyBytesSent("/a.bin") == content.lengthBytes, "it was fetched once")
        #expect(try LibraryAudit(path: stock.library).orphans() == [])
    }

    @Test func whatWasDamagedMeanwhileIsFetchedAgain() async throws {
        let calls = try await FileCalls(beneath: stock.library)
        let killed = try await LarderProgram.run(
            stock.arguments(), environment: calls.environment(.kill, at: .first("rename", on: ".receipt")))
        #expect(killed.status == .signalled(SIGKILL), "\(killed)")
        let name = try #require(try directoryEntries(FilePathBytes("\(stock.library)/store/m/a")).first)
        let path = "\(stock.library)/store/m/a/\(name)/data"
        var bytes = try readFile(path)
        bytes[50_000] ^= 1
        try writeFile(bytes, to: path)

        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.difference("a", content) == nil)
        #expect(stock.server.exchanges("/a.bin").count == 2)
        #expect(try LibraryAudit(path: stock.library).orphans() == [])
    }
}
