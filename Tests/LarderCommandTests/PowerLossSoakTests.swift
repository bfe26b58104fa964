import Glibc
import Platform
import TestSupport
import Testing

/// Power that is lost at any moment, with whatever the disk had by then: what readers see is whole, and the next run goes on.
///
/// A run is recorded call by call, and the disks that a power loss could have left of it are made from the record: see ``PowerLoss`` for which these are.
@Suite(.serialized) struct PowerLossSoakTests {
    enum Story: String, CaseIterable {
        /// A first sync: the library itself is made.
        case first
        /// A sync of a new edition, which removes the old one.
        case update
        /// The same, and then an edition with the old one's content again, of which the store may have a part.
        case revert
        /// A refresh that finds nothing new, of a library with an index.
        case unchanged
        /// A clean of a library in which runs have left things of all kinds.
        case clean
        /// A `verify --repair` of what is damaged.
        case repair
    }

    /// Of each story, all that there are up to 10,000.
    private static let limit = min(10_000, 50 * Parameters.rounds)

    private let editions: Editions
    private var stock: Stock { editions.stock }

    init() throws { editions = try Editions() }

    @Test(arguments: Story.allCases)
    func whatReadersSeeIsWholeAndTheNextRunCompletes(story: Story) async throws {
        let arguments = try await prepare(story)
        let damage = try editions.problems()
        let loss = try await record(arguments)
        var generator = Seed.generator(for: "power loss \(story)")
        let (states, isComplete) = loss.states(atMost: Self.limit, using: &generator)
        let disks = loss.distinct(states)
        let boot = try stock.directory.write("another boot\n".utf8, to: "boot")
        let calls = try await FileCalls(beneath: "/nowhere")
        for (number, state) in disks.enumerated() {
            removeTree(editions.library)
            try loss.write(state, to: editions.library)
            let problems = try await judge(state, story, damage, arguments, calls.environment(boot: boot))
            #expect(problems == [], "\(story), state \(number)")
            // The disk is left as it was, for whoever wants to look.
            if !problems.isEmpty { break }
        }
        let all = isComplete ? "all" : "at random"
        print(
            "Power loss, \(story): \(states.count) states (\(all)) of \(loss.effectCount) changes, \(disks.count) different disks"
        )
    }

    /// What a run flushes.
    enum Flush {
        case library, generations, bundles, everythingElse
    }

    /// That the method sees what it is to see: had a run left out one kind of flush, some disks would not be whole.
    /// The library's own flush can't be among them: of a rename the flush of either directory suffices, and the index's journal soon flushes the other.
    @Test(arguments: [Flush.generations, .bundles, .everythingElse]) func withoutAFlushDamageShows(flush: Flush)
        async throws
    {
        let loss = try await record(try await prepare(.update), leavingOut: flush)
        var generator = Seed.generator(for: "without \(flush)")
        let damaged = try loss.states(atMost: 200, using: &generator).states.count { state in
            removeTree(editions.library)
            try loss.write(state, to: editions.library)
            let isWhole = (try? editions.problems()) == []
            return try !isWhole || (state.isAfterEnd && editions.published() != 2)
        }
        #expect(damaged > 0)
    }

    /// Which flush it is, by what is flushed.
    private func flush(of inode: RecordedCall.Inode?) throws -> Flush {
        let bundles = try ["pair", "set", "book"].map { try inodeNumber("\(editions.library)/store/m/\($0)") }
        return switch inode {
        case try inodeNumber(editions.library): .library
        case try inodeNumber("\(editions.library)/generations"): .generations
        case let inode? where bundles.contains(inode): .bundles
        default: .everythingElse
        }
    }

    private func inodeNumber(_ path: String) throws -> RecordedCall.Inode {
        var status = stat()
        try check(stat(path, &status), "stat \(path)")
        return UInt64(status.st_ino)
    }

    /// - Returns: what is to be recorded.
    private func prepare(_ story: Story) async throws -> [String] {
        // One after the other, for the record to be the same each time.
        let sync = stock.arguments(["--jobs", "1", "--keep", "1", "--keep-age", "0s", "--quiet"])
        editions.serve(1)
        switch story {
        case .first: return sync
        case .update, .revert:
            #expect(try await LarderProgram.run(sync).status == .exited(0))
            editions.serve(2)
            return sync
        case .unchanged:
            #expect(try await LarderProgram.run(sync).status == .exited(0))
            return ["refresh"] + sync.dropFirst()
        case .clean:
            #expect(try await LarderProgram.run(sync).status == .exited(0))
            try editions.leaveBehind()
            return ["clean", "--library", editions.library]
        case .repair:
            #expect(try await LarderProgram.run(sync).status == .exited(0))
            try editions.damage()
            return ["verify", "--repair", "--library", editions.library, "--min-free", "0", "--quiet"]
        }
    }

    private func record(_ arguments: [String], leavingOut left: Flush? = nil) async throws -> PowerLoss {
        let before = try stock.directory.makeDirectory("library")
        let image = try DiskImage(of: before)
        let log = stock.directory["calls"]
        let environment = try await FileCalls(beneath: editions.library).environment(log: log)
        let run = try await LarderProgram.run(arguments, environment: environment)
        #expect(run.status == .exited(0), "\(run)")
        #expect(try editions.problems() == [])
        let calls = try RecordedCall.all(in: readFile(log)).filter { call in
            guard let left, case .flush(let inode) = call else { return true }
            return try flush(of: inode) != left
        }
        let loss = PowerLoss(from: image, calls)
        // That nothing was left out of the record: with all of it, the disk is what it is.
        let rebuilt = stock.directory["rebuilt"]
        try loss.write(loss.end, to: rebuilt)
        let differences = try treeDifferences(editions.library, rebuilt, comparingModes: true)
        #expect(differences == [])
        removeTree(rebuilt)
        return loss
    }

    /// What went wrong after a power loss.
    /// - Parameter damage: what was wrong before the run.
    private func judge(
        _ state: PowerLoss.State, _ story: Story, _ damage: [String], _ arguments: [String],
        _ environment: [String: String]
    ) async throws -> [String] {
        var edition = story == .update || story == .revert ? 2 : 1
        let found = try editions.published()
        var problems = try editions.problems().filter { state.isAfterEnd || !damage.contains($0) }
        if story != .first, found == nil { problems.append("what was published is lost") }
        if state.isAfterEnd, found != edition { problems.append("what was reported as published is lost") }
        guard problems.isEmpty else { return problems }

        if story == .revert {
            edition = 3
            editions.serve(edition, as: 1)
        }
        let next = try await LarderProgram.run(arguments, environment: environment)
        if next.status != .exited(0) { problems.append("the next run: \(next)") }
        problems += try editions.problems()
        if try editions.published() != edition { problems.append("the next run published nothing") }
        if story != .clean {
            let clean = try await LarderProgram.run(["clean", "--library", editions.library])
            if clean.status != .exited(0) { problems.append("clean: \(clean)") }
        }
        return problems + (try LibraryAudit(path: editions.library).orphans().map { "left after clean: \($0)" })
    }
}
