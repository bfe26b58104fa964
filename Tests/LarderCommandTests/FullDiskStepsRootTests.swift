import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A disk that is too small by any amount, and too few files that it can hold: the run ends with 73, loses nothing, and goes on when there is room.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"), .serialized)
struct FullDiskStepsRootTests {
    private static let pageBytes = 4096

    /// From nothing to more than enough.
    private static let sizes = Swift.stride(from: 1, through: 60, by: 2).map { "size=\($0 * pageBytes)" }
    private static let fileCounts = Swift.stride(from: 1, through: 30, by: 1).map { "nr_inodes=\($0)" }

    @Test func atEveryStepTheRunIsToldAndTheNextOneGoesOn() async throws {
        var exits: [Int32: Int] = [:]
        for limit in Self.sizes + Self.fileCounts {
            let exit = try await runOnADisk(of: limit)
            exits[exit, default: 0] += 1
        }
        #expect(exits[73] ?? 0 > 20 && exits[0] ?? 0 > 0, "\(exits)")
        print("Disks that are too small: \(exits.map { "\($1) times exit \($0)" }.sorted())")
    }

    /// - Returns: how the run ended that had too little room.
    private func runOnADisk(of limit: String) async throws -> Int32 {
        let disk = try await MountedDisk(sizeBytes: 16 << 20)
        let stock = try Stock(library: "\(disk.path)/library")
        let (one, two) = (Content.pattern(lengthBytes: 40_000, seed: 1), Content.pattern(lengthBytes: 50_000, seed: 2))
        stock.serveManifest([stock.file("one", one)])
        #expect(try await stock.sync().status == .exited(0))
        let archive = storedZip(["a": one.bytes(), "b/c": two.bytes()])
        stock.serveManifest([stock.file("one", two), stock.archive("set", archive)], serial: 2)
        // As much as there is already, and a little.
        let held = try disk.usage()
        let (name, amount) = (limit.prefix { $0 != "=" }, Int(limit.drop { $0 != "=" }.dropFirst()) ?? 0)
        try await disk.remount("\(name)=\(amount + (name == "size" ? held.bytes : held.files))")

        let full = try await stock.sync()
        guard case .exited(let exit)? = full.status else {
            Issue.record("\(limit): \(full)")
            return -1
        }
        #expect([0, 73].contains(exit), "\(limit): \(full)")
        let reasons = ["No space left on device", "free some space"]
        #expect(exit == 0 || reasons.contains { full.errorText.contains($0) }, "\(limit): \(full)")
        #expect(try LibraryAudit(path: stock.library).problems() == [], "\(limit)")
        // One of the bundles may have found room.
        #expect(try [one, two].contains { try stock.difference("one", $0) == nil }, "\(limit)")

        try await disk.remount("size=\(16 << 20),nr_inodes=10000")
        let roomy = try await stock.sync()
        #expect(roomy.status == .exited(0), "\(limit): \(roomy)")
        #expect(try stock.difference("one", two) == nil, "\(limit)")
        #expect(contentDifference(two.bytes(), try stock.content("set/b/c")) == nil, "\(limit)")
        return exit
    }
}
