import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// Bundles of the kind `segments` that become one file.
@Suite struct JoinedSegmentsTests {
    private let stage: SegmentsStage

    init() throws { stage = try SegmentsStage() }

    private func joined(_ count: Int, changed: Set<Int> = []) -> [UInt8] {
        (0..<count).flatMap { stage.content($0, version: changed.contains($0) ? 1 : 0).bytes() }
    }

    private var joinedLength: Int? {
        get throws { try? stage.stock.directory.read("library/.larder/staging/1/radio.mp3").count }
    }

    @Test(arguments: [true, false])
    func segmentsAreJoinedInTheirOrder(hasDigests: Bool) async throws {
        // The first is the last to come.
        let gate = try Gate()
        stage.serve(50, hasDigests: hasDigests, join: "radio.mp3", joinDigest: "\(SHA256.digest(of: joined(50)))")
        stage.stock.server.script("/0.ts", [.altered { $0.headHeld(until: gate) }])
        let run = try stage.stock.startSync("--json")
        try await run.wait(for: "others", within: .seconds(30)) { result in
            result.events.count { $0.name == "transfer.finished" } >= 20 ? () : nil
        }
        gate.open()
        let result = try await run.waitForExit()
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stage.stock.published("m/radio") == ["radio.mp3"])
        #expect(try contentDifference(joined(50), stage.file("radio.mp3")) == nil)
        #expect(stage.requests(50) == Array(repeating: 1, count: 50))
        #expect(try stage.leftovers == [] && stage.stock.partials() == [])
        #expect(try await stage.stock.sync("--json").finished.bundles("unchanged") == 1)
    }

    @Test func aWrongWholeIsNotPublished() async throws {
        stage.serve(3, join: "radio.mp3", joinDigest: String(repeating: "0", count: 64))
        let run = try await stage.stock.sync()
        #expect(run.status == .exited(1))
        #expect(run.problems.contains { $0.contains("joinSHA256") }, "\(run)")
        #expect(try stage.stock.published("m/radio") == [])
        // All segments are right: they needn't come again once the manifest is.
        stage.serve(3, join: "radio.mp3", joinDigest: "\(SHA256.digest(of: joined(3)))", serial: 2)
        #expect(try await stage.stock.sync().status == .exited(0))
        #expect(stage.sentCounts(3) == [1, 1, 1])
        stage.serve(3, join: "radio.mp3", joinDigest: String(repeating: "0", count: 64), serial: 3)
        #expect(try await stage.stock.sync().problems.contains { $0.contains("joinSHA256") })
    }

    @Test func anUnchangedJoinedFileIsNotMadeAnew() async throws {
        stage.serve(5, hasDigests: false, join: "radio.mp3")
        #expect(try await stage.stock.sync().status == .exited(0))
        let before = try stage.inode("radio.mp3")
        let run = try await stage.stock.sync("--json")
        #expect(try run.finished.bundles("unchanged") == 1)
        #expect(run.events.count { $0.name == "bundle.verified" } == 1)
        #expect(try stage.inode("radio.mp3") == before)
    }

    @Test(arguments: [true, false], [true, false])
    func joiningGoesOnWhereItWasCutShort(hasDigests: Bool, isKilled: Bool) async throws {
        stage.serve(40, hasDigests: hasDigests, join: "radio.mp3")
        stage.stock.server.script(
            "/30.ts", [isKilled ? .altered { $0.stalled(afterBytes: 10) } : .reply(.errorPage(404))])
        let first = try stage.stock.startSync("--json", "--jobs", "2")
        if isKilled {
            let due = joined(30).count
            try await waitUntil("all before the one that stalls") { try joinedLength == due }
            try await waitUntil("their notes") { try stage.journalLines == 31 }
            first.kill(SIGKILL)
        }
        _ = try await first.waitForExit()
        let held = try joinedLength ?? 0
        let heldSegments = try #require((0...30).last { joined($0).count <= held })
        // Where the 31st failed, the one beside it may have been on its way, and two more not yet joined.
        #expect(heldSegments >= (isKilled ? 30 : 27))

        let next = try await stage.stock.sync("--json")
        #expect(next.status == .exited(0), "\(next)")
        #expect(try contentDifference(joined(40), stage.file("radio.mp3")) == nil)
        #expect(
            stage.sentCounts(heldSegments) == Array(repeating: 1, count: heldSegments),
            "what was joined is not sent again")
        // Two transfers, and as many that were whole and not yet noted.
        #expect(stage.sentCounts(40).reduce(0, +) <= 44)
        #expect(try next.finished["bytesResumed"] ?? 0 >= held)
        let last = next.events.last { $0.name == "segments.progress" }
        #expect(last?["files"] == 40 && last?["bytes"] == joined(40).count, "\(next)")
        #expect(try stage.leftovers == [])
        // A kill may come between a segment's being joined and its partial's going: that one is for `clean`.
        #expect(try isKilled || stage.stock.partials() == [])
    }

    @Test func whatWasJoinedAndHasChangedSinceIsJoinedAnew() async throws {
        stage.serve(20, hasDigests: false, join: "radio.mp3")
        stage.stock.server.script("/15.ts", [.reply(.errorPage(404))])
        #expect(try await stage.stock.sync("--jobs", "1").status == .exited(1))
        stage.serve(20, changed: [7], hasDigests: false, join: "radio.mp3", serial: 2)
        #expect(try await stage.stock.sync().status == .exited(0))
        #expect(try contentDifference(joined(20, changed: [7]), stage.file("radio.mp3")) == nil)
    }

    @Test func whatWasJoinedAndThenDamagedIsJoinedAnew() async throws {
        stage.serve(20, join: "radio.mp3")
        stage.stock.server.script("/15.ts", [.reply(.errorPage(404))])
        #expect(try await stage.stock.sync("--jobs", "1").status == .exited(1))
        var bytes = try stage.stock.directory.read("library/.larder/staging/1/radio.mp3")
        bytes[110_000] ^= 1
        try stage.stock.directory.write(bytes, to: "library/.larder/staging/1/radio.mp3")
        #expect(try await stage.stock.sync().status == .exited(0))
        #expect(try contentDifference(joined(20), stage.file("radio.mp3")) == nil)
        #expect(stage.sentCounts(5) == [1, 1, 1, 1, 1])
    }

    @Test(arguments: [true, false])
    func onlyChangedSegmentsOfAJoinedFileAreFetched(hasDigests: Bool) async throws {
        stage.serve(10, hasDigests: hasDigests, join: "radio.mp3")
        #expect(try await stage.stock.sync().status == .exited(0))
        stage.serve(11, changed: [4], hasDigests: hasDigests, join: "radio.mp3", serial: 2)
        #expect(try await stage.stock.sync().status == .exited(0))
        #expect(try contentDifference(joined(11, changed: [4]), stage.file("radio.mp3")) == nil)
        #expect(stage.sentCounts(11) == [1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1])
    }
}
