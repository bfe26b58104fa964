import FaultServer
import Glibc
import JSONSyntax
import Platform
import TestSupport
import Testing

/// Bundles of the kind `segments`.
@Suite struct SegmentsTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func content(_ number: Int, version: Int = 0) -> Content {
        .pattern(lengthBytes: UInt64(20_000 + number), seed: UInt64(1000 * version + number))
    }

    /// Serves so many segments, and a manifest with a bundle `radio` of them.
    private func serve(
        _ count: Int, changed: Set<Int> = [], hasDigests: Bool = true, duration: String = "6.006", join: String? = nil,
        joinDigest: String? = nil, serial: Int = 1
    ) {
        let segments = (0..<count).map { number -> String in
            let content = content(number, version: changed.contains(number) ? 1 : 0)
            stock.server.serve("/\(number).ts", Resource(content, etag: "\"\(content.sha256)\""))
            let digest = hasDigests ? #", "size": \#(content.lengthBytes), "sha256": "\#(content.sha256)""# : ""
            return #"{"path": "s/\#(number).ts", "urls": ["\#(number).ts"], "duration": \#(duration)\#(digest)}"#
        }
        var joining = join.map { #""join": "\#($0)","# } ?? ""
        if let joinDigest { joining += #" "joinSHA256": "\#(joinDigest)","# }
        stock.serveManifest(
            [#"{"id": "radio", "kind": "segments", \#(joining) "segments": [\#(segments.joined(separator: ",\n"))]}"#],
            serial: serial)
    }

    private func file(_ name: String) throws -> [UInt8] { try stock.directory.read("library/current/m/radio/\(name)") }

    private func inode(_ name: String) throws -> UInt64 {
        let file = try Platform.OwnedDescriptor.open(stock.library + "/current/m/radio/\(name)", flags: O_RDONLY)
        return try file.status().inode
    }

    private func requests(_ count: Int) -> [Int] {
        (0..<count).map { stock.server.exchanges("/\($0).ts").count }
    }

    /// How often each segment's body was sent.
    private func sentCounts(_ count: Int) -> [Int] {
        (0..<count).map { number in
            stock.server.exchanges("/\(number).ts").count { $0.status == 200 && $0.bodyBytesSent > 10 }
        }
    }

    private var leftovers: [String] {
        get throws {
            try Directory.open(stock.library + "/.larder/staging").names().map(\.description).sorted()
        }
    }

    @Test(arguments: [true, false])
    func segmentsAreKeptWithTheirLists(hasDigests: Bool) async throws {
        serve(5, hasDigests: hasDigests)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        for number in 0..<5 {
            #expect(try contentDifference(content(number).bytes(), file("s/\(number).ts")) == nil)
        }
        let playlist = String(decoding: try file("index.m3u8"), as: UTF8.self)
        #expect(playlist.hasPrefix("#EXTM3U\n") && playlist.hasSuffix("#EXTINF:6.006,\ns/4.ts\n#EXT-X-ENDLIST\n"))
        let list = try JSONDocument(try file("index.json"), name: "index.json").root
        #expect(
            list["segments"]?.elements.compactMap { $0["size"]?.integer } == [20_000, 20_001, 20_002, 20_003, 20_004])
        #expect(try leftovers == [])

        let again = try await stock.sync("--json")
        #expect(try again.finished.bundles("unchanged") == 1, "\(again)")
    }

    @Test(arguments: [true, false])
    func onlyChangedSegmentsAreFetched(hasDigests: Bool) async throws {
        serve(8, hasDigests: hasDigests)
        #expect(try await stock.sync().status == .exited(0))
        serve(9, changed: [2, 5], hasDigests: hasDigests, serial: 2)
        let run = try await stock.sync("--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(requests(9) == [1, 1, 2, 1, 1, 2, 1, 1, 1].map { hasDigests ? $0 : min(2, $0 + 1) }.dropLast() + [1])
        #expect(sentCounts(9) == [1, 1, 2, 1, 1, 2, 1, 1, 1])
        #expect(try contentDifference(content(5, version: 1).bytes(), file("s/5.ts")) == nil)
    }

    @Test func anotherDurationMakesOtherListsAndFetchesNothing() async throws {
        serve(3)
        #expect(try await stock.sync().status == .exited(0))
        serve(3, duration: "6.5", serial: 2)
        let run = try await stock.sync("--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(requests(3) == [1, 1, 1])
        #expect(String(decoding: try file("index.m3u8"), as: UTF8.self).contains("#EXTINF:6.5,"))
    }

    /// What is complete stays complete, however small it is and however the run ended: here by a signal, or by one segment that can't be had.
    @Test(arguments: [true, false], [true, false])
    func aRunThatEndsEarlyLeavesItsSegmentsToTheNext(hasDigests: Bool, isKilled: Bool) async throws {
        serve(40, hasDigests: hasDigests)
        stock.server.script("/39.ts", [isKilled ? .altered { $0.stalled(afterBytes: 10) } : .reply(.errorPage(404))])
        let first = try stock.startSync("--json", "--jobs", "4")
        if isKilled {
            try await first.wait(for: "all other segments", within: .seconds(30)) { result in
                result.events.count { $0.name == "transfer.finished" } >= 39 ? () : nil
            }
            // The last of them may still be on its way to its place.
            try await waitUntil("all of them in their places") { try journalLines == 40 }
            first.kill(SIGKILL)
        }
        _ = try await first.waitForExit()
        #expect(try leftovers == ["1", "1-journal"])
        #expect(try stock.published("m/radio") == [])

        let next = try await stock.sync("--json")
        #expect(next.status == .exited(0), "\(next)")
        for number in 0..<40 {
            #expect(try contentDifference(content(number).bytes(), file("s/\(number).ts")) == nil)
        }
        #expect(try leftovers == [])
        // Four were under way at most.
        #expect(sentCounts(40).reduce(0, +) <= (isKilled ? 40 : 43))
        #expect(try next.finished["bytesResumed"] ?? 0 >= 35 * 20_000)
    }

    private var journalLines: Int {
        get throws {
            try stock.directory.read("library/.larder/staging/1-journal").split(separator: UInt8(ascii: "\n")).count
        }
    }

    @Test func whatWasLeftAndThenDamagedIsFetchedAgain() async throws {
        serve(4)
        stock.server.script("/3.ts", [.altered { $0.stalled(afterBytes: 10) }])
        let first = try stock.startSync()
        try await waitUntil("all but the last in their places") { try journalLines == 4 }
        first.kill(SIGKILL)
        _ = try await first.waitForExit()
        try stock.directory.write([0x47], to: "library/.larder/staging/1/s/1.ts")
        let next = try await stock.sync()
        #expect(next.status == .exited(0), "\(next)")
        #expect(requests(4) == [1, 2, 1, 2])
        #expect(try contentDifference(content(1).bytes(), file("s/1.ts")) == nil)
    }

    /// Again and again it ends before it is done; each time what came before is taken over.
    @Test func everyRunGoesOnFromTheOneBefore() async throws {
        serve(30)
        let broken = [9, 19, 29]
        for number in broken { stock.server.serve("/\(number).ts", always: .errorPage(404)) }
        for number in broken {
            #expect(try await stock.sync("--jobs", "1").status == .exited(1))
            let content = content(number)
            stock.server.serve("/\(number).ts", Resource(content, etag: "\"\(content.sha256)\""))
        }
        #expect(try await stock.sync().status == .exited(0))
        // Two may be under way when one fails: one that comes, and one that isn't in its place yet.
        #expect(sentCounts(30).reduce(0, +) <= 30 + 2 * broken.count)
        #expect(try leftovers == [])
    }

    /// Whatever becomes of a bundle that never gets complete, what is left of it doesn't grow.
    @Test(arguments: [true, false], [true, false])
    func whatIsLeftDoesNotGrow(hasDigests: Bool, changes: Bool) async throws {
        for run in 1...5 {
            serve(20, changed: changes && run.isMultiple(of: 2) ? Set(0..<19) : [], hasDigests: hasDigests, serial: run)
            stock.server.serve("/19.ts", always: .errorPage(404))
            #expect(try await stock.sync("--jobs", "1").status == .exited(1))
            let files = try leftovers.filter { !$0.hasSuffix("-journal") }.flatMap { name in
                (try? directoryEntries(FilePathBytes("\(stock.library)/.larder/staging/\(name)/s"))) ?? []
            }
            #expect(files.count <= 40, "after run \(run)")
        }
        serve(20, hasDigests: hasDigests, serial: 9)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try leftovers == [])
    }

    // MARK: Joined

    private func joined(_ count: Int, changed: Set<Int> = []) -> [UInt8] {
        (0..<count).flatMap { content($0, version: changed.contains($0) ? 1 : 0).bytes() }
    }

    private var joinedLength: Int? {
        get throws { try? stock.directory.read("library/.larder/staging/1/radio.mp3").count }
    }

    @Test(arguments: [true, false])
    func segmentsAreJoinedInTheirOrder(hasDigests: Bool) async throws {
        // The first is the last to come.
        let gate = try Gate()
        serve(50, hasDigests: hasDigests, join: "radio.mp3", joinDigest: "\(SHA256.digest(of: joined(50)))")
        stock.server.script("/0.ts", [.altered { $0.headHeld(until: gate) }])
        let run = try stock.startSync("--json")
        try await run.wait(for: "others", within: .seconds(30)) { result in
            result.events.count { $0.name == "transfer.finished" } >= 20 ? () : nil
        }
        gate.open()
        let result = try await run.waitForExit()
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.published("m/radio") == ["radio.mp3"])
        #expect(try contentDifference(joined(50), file("radio.mp3")) == nil)
        #expect(requests(50) == Array(repeating: 1, count: 50))
        #expect(try leftovers == [] && stock.partials() == [])
        #expect(try await stock.sync("--json").finished.bundles("unchanged") == 1)
    }

    @Test func aWrongWholeIsNotPublished() async throws {
        serve(3, join: "radio.mp3", joinDigest: String(repeating: "0", count: 64))
        let run = try await stock.sync()
        #expect(run.status == .exited(1))
        #expect(run.problems.contains { $0.contains("joinSHA256") }, "\(run)")
        #expect(try stock.published("m/radio") == [])
        // All segments are right: they needn't come again once the manifest is.
        serve(3, join: "radio.mp3", joinDigest: "\(SHA256.digest(of: joined(3)))", serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(sentCounts(3) == [1, 1, 1])
        serve(3, join: "radio.mp3", joinDigest: String(repeating: "0", count: 64), serial: 3)
        #expect(try await stock.sync().problems.contains { $0.contains("joinSHA256") })
    }

    @Test func anUnchangedJoinedFileIsNotMadeAnew() async throws {
        serve(5, hasDigests: false, join: "radio.mp3")
        #expect(try await stock.sync().status == .exited(0))
        let before = try inode("radio.mp3")
        let run = try await stock.sync("--json")
        #expect(try run.finished.bundles("unchanged") == 1)
        #expect(run.events.count { $0.name == "bundle.verified" } == 1)
        #expect(try inode("radio.mp3") == before)
    }

    @Test func segmentsWithTheSameBytesKeepTheirOwnNames() async throws {
        let text = Resource(.text("the same"), etag: "\"x\"")
        for number in 0..<2 { stock.server.serve("/\(number).ts", text) }
        for serial in 1...3 {
            stock.serveManifest(
                [
                    #"{"id": "radio", "kind": "segments", "segments": [{"path": "0.ts", "urls": ["0.ts"], "duration": \#(serial)}, {"path": "1.ts", "urls": ["1.ts"], "duration": 1}]}"#
                ], serial: serial)
            #expect(try await stock.sync().status == .exited(0))
        }
        #expect((0..<2).map { number in stock.server.exchanges("/\(number).ts").count { $0.status == 200 } } == [1, 1])
    }

    /// There and back again: what was published once before is not older than what was put into the store later.
    @Test func whatCameBackIsUnchanged() async throws {
        for (serial, changed) in [(1, Set<Int>()), (2, [1]), (3, [])] {
            serve(3, changed: changed, hasDigests: false, serial: serial)
            #expect(try await stock.sync().status == .exited(0))
        }
        let run = try await stock.sync("--json")
        #expect(try run.finished.bundles("unchanged") == 1, "\(run)")
        #expect(sentCounts(3)[0] == 1)
    }

    @Test(arguments: [true, false], [true, false])
    func joiningGoesOnWhereItWasCutShort(hasDigests: Bool, isKilled: Bool) async throws {
        serve(40, hasDigests: hasDigests, join: "radio.mp3")
        stock.server.script("/30.ts", [isKilled ? .altered { $0.stalled(afterBytes: 10) } : .reply(.errorPage(404))])
        let first = try stock.startSync("--json", "--jobs", "2")
        if isKilled {
            let due = joined(30).count
            try await waitUntil("all before the one that stalls") { try joinedLength == due }
            try await waitUntil("their notes") { try journalLines == 31 }
            first.kill(SIGKILL)
        }
        _ = try await first.waitForExit()
        let held = try joinedLength ?? 0
        #expect(held > 0)

        let next = try await stock.sync("--json")
        #expect(next.status == .exited(0), "\(next)")
        #expect(try contentDifference(joined(40), file("radio.mp3")) == nil)
        #expect(sentCounts(30) == Array(repeating: 1, count: 30), "what was joined is not sent again")
        // Two transfers, and as many that were whole and not yet noted.
        #expect(sentCounts(40).reduce(0, +) <= 44)
        #expect(try next.finished["bytesResumed"] ?? 0 >= held)
        let last = next.events.last { $0.name == "segments.progress" }
        #expect(last?["files"] == 40 && last?["bytes"] == joined(40).count, "\(next)")
        #expect(try leftovers == [])
        // A kill may come between a segment's being joined and its partial's going: that one is for `clean`.
        #expect(try isKilled || stock.partials() == [])
    }

    @Test func whatWasJoinedAndHasChangedSinceIsJoinedAnew() async throws {
        serve(20, hasDigests: false, join: "radio.mp3")
        stock.server.script("/15.ts", [.reply(.errorPage(404))])
        #expect(try await stock.sync("--jobs", "1").status == .exited(1))
        serve(20, changed: [7], hasDigests: false, join: "radio.mp3", serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try contentDifference(joined(20, changed: [7]), file("radio.mp3")) == nil)
    }

    @Test func whatWasJoinedAndThenDamagedIsJoinedAnew() async throws {
        serve(20, join: "radio.mp3")
        stock.server.script("/15.ts", [.reply(.errorPage(404))])
        #expect(try await stock.sync("--jobs", "1").status == .exited(1))
        var bytes = try stock.directory.read("library/.larder/staging/1/radio.mp3")
        bytes[110_000] ^= 1
        try stock.directory.write(bytes, to: "library/.larder/staging/1/radio.mp3")
        #expect(try await stock.sync().status == .exited(0))
        #expect(try contentDifference(joined(20), file("radio.mp3")) == nil)
        #expect(sentCounts(5) == [1, 1, 1, 1, 1])
    }

    @Test(arguments: [true, false])
    func onlyChangedSegmentsOfAJoinedFileAreFetched(hasDigests: Bool) async throws {
        serve(10, hasDigests: hasDigests, join: "radio.mp3")
        #expect(try await stock.sync().status == .exited(0))
        serve(11, changed: [4], hasDigests: hasDigests, join: "radio.mp3", serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try contentDifference(joined(11, changed: [4]), file("radio.mp3")) == nil)
        #expect(sentCounts(11) == [1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1])
    }
}
