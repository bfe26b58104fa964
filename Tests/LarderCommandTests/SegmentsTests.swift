import FaultServer
import Glibc
import JSONSyntax
import Platform
import TestSupport
import Testing

/// Bundles of the kind `segments`, kept as files.
@Suite struct SegmentsTests {
    private let stage: SegmentsStage

    init() throws { stage = try SegmentsStage() }

    @Test(arguments: [true, false])
    func segmentsAreKeptWithTheirLists(hasDigests: Bool) async throws {
        stage.serve(5, hasDigests: hasDigests)
        let run = try await stage.stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        for number in 0..<5 {
            #expect(try contentDifference(stage.content(number).bytes(), stage.file("s/\(number).ts")) == nil)
        }
        let playlist = String(decoding: try stage.file("index.m3u8"), as: UTF8.self)
        #expect(playlist.hasPrefix("#EXTM3U\n") && playlist.hasSuffix("#EXTINF:6.006,\ns/4.ts\n#EXT-X-ENDLIST\n"))
        let list = try JSONDocument(try stage.file("index.json"), name: "index.json").root
        #expect(
            list["segments"]?.elements.compactMap { $0["size"]?.integer } == [20_000, 20_001, 20_002, 20_003, 20_004])
        #expect(try stage.leftovers == [])

        let again = try await stage.stock.sync("--json")
        #expect(try again.finished.bundles("unchanged") == 1, "\(again)")
    }

    @Test(arguments: [true, false])
    func onlyChangedSegmentsAreFetched(hasDigests: Bool) async throws {
        stage.serve(8, hasDigests: hasDigests)
        #expect(try await stage.stock.sync().status == .exited(0))
        stage.serve(9, changed: [2, 5], hasDigests: hasDigests, serial: 2)
        let run = try await stage.stock.sync("--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(
            stage.requests(9) == [1, 1, 2, 1, 1, 2, 1, 1, 1].map { hasDigests ? $0 : min(2, $0 + 1) }.dropLast() + [1])
        #expect(stage.sentCounts(9) == [1, 1, 2, 1, 1, 2, 1, 1, 1])
        #expect(try contentDifference(stage.content(5, version: 1).bytes(), stage.file("s/5.ts")) == nil)
    }

    @Test func anotherDurationMakesOtherListsAndFetchesNothing() async throws {
        stage.serve(3)
        #expect(try await stage.stock.sync().status == .exited(0))
        stage.serve(3, duration: "6.5", serial: 2)
        let run = try await stage.stock.sync("--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(stage.requests(3) == [1, 1, 1])
        #expect(String(decoding: try stage.file("index.m3u8"), as: UTF8.self).contains("#EXTINF:6.5,"))
    }

    /// What is complete stays complete, however small it is and however the run ended: here by a signal, or by one segment that can't be had.
    @Test(arguments: [true, false], [true, false])
    func aRunThatEndsEarlyLeavesItsSegmentsToTheNext(hasDigests: Bool, isKilled: Bool) async throws {
        stage.serve(40, hasDigests: hasDigests)
        stage.stock.server.script(
            "/39.ts", [isKilled ? .altered { $0.stalled(afterBytes: 10) } : .reply(.errorPage(404))])
        let first = try stage.stock.startSync("--json", "--jobs", "4")
        if isKilled {
            try await first.wait(for: "all other segments", within: .seconds(30)) { result in
                result.events.count { $0.name == "transfer.finished" } >= 39 ? () : nil
            }
            // The last of them may still be on its way to its place.
            try await waitUntil("all of them in their places") { try stage.journalLines == 40 }
            first.kill(SIGKILL)
        }
        _ = try await first.waitForExit()
        #expect(try stage.leftovers == ["1", "1-journal"])
        #expect(try stage.stock.published("m/radio") == [])

        let next = try await stage.stock.sync("--json")
        #expect(next.status == .exited(0), "\(next)")
        for number in 0..<40 {
            #expect(try contentDifference(stage.content(number).bytes(), stage.file("s/\(number).ts")) == nil)
        }
        #expect(try stage.leftovers == [])
        // Four were under way at most.
        #expect(stage.sentCounts(40).reduce(0, +) <= (isKilled ? 40 : 43))
        #expect(try next.finished["bytesResumed"] ?? 0 >= 35 * 20_000)
    }

    @Test func whatWasLeftAndThenDamagedIsFetchedAgain() async throws {
        stage.serve(4)
        stage.stock.server.script("/3.ts", [.altered { $0.stalled(afterBytes: 10) }])
        let first = try stage.stock.startSync()
        try await waitUntil("all but the last in their places") { try stage.journalLines == 4 }
        first.kill(SIGKILL)
        _ = try await first.waitForExit()
        try stage.stock.directory.write([0x47], to: "library/.larder/staging/1/s/1.ts")
        let next = try await stage.stock.sync()
        #expect(next.status == .exited(0), "\(next)")
        #expect(stage.requests(4) == [1, 2, 1, 2])
        #expect(try contentDifference(stage.content(1).bytes(), stage.file("s/1.ts")) == nil)
    }

    /// Again and again it ends before it is done; each time what came before is taken over.
    @Test func everyRunGoesOnFromTheOneBefore() async throws {
        stage.serve(30)
        let broken = [9, 19, 29]
        for number in broken { stage.stock.server.serve("/\(number).ts", always: .errorPage(404)) }
        for number in broken {
            #expect(try await stage.stock.sync("--jobs", "1").status == .exited(1))
            let content = stage.content(number)
            stage.stock.server.serve("/\(number).ts", Resource(content, etag: "\"\(content.sha256)\""))
        }
        #expect(try await stage.stock.sync().status == .exited(0))
        // Two may be under way when one fails: one that comes, and one that isn't in its place yet.
        #expect(stage.sentCounts(30).reduce(0, +) <= 30 + 2 * broken.count)
        #expect(try stage.leftovers == [])
    }

    /// Whatever becomes of a bundle that never gets complete, what is left of it doesn't grow.
    @Test(arguments: [true, false], [true, false])
    func whatIsLeftDoesNotGrow(hasDigests: Bool, changes: Bool) async throws {
        for run in 1...5 {
            stage.serve(
                20, changed: changes && run.isMultiple(of: 2) ? Set(0..<19) : [], hasDigests: hasDigests, serial: run)
            stage.stock.server.serve("/19.ts", always: .errorPage(404))
            #expect(try await stage.stock.sync("--jobs", "1").status == .exited(1))
            let files = try stage.leftovers.filter { !$0.hasSuffix("-journal") }.flatMap { name in
                (try? directoryEntries(FilePathBytes("\(stage.stock.library)/.larder/staging/\(name)/s"))) ?? []
            }
            #expect(files.count <= 40, "after run \(run)")
        }
        stage.serve(20, hasDigests: hasDigests, serial: 9)
        #expect(try await stage.stock.sync().status == .exited(0))
        #expect(try stage.leftovers == [])
    }

    @Test func segmentsWithTheSameBytesKeepTheirOwnNames() async throws {
        let text = Resource(.text("the same"), etag: "\"x\"")
        for number in 0..<2 { stage.stock.server.serve("/\(number).ts", text) }
        for serial in 1...3 {
            stage.stock.serveManifest(
                [
                    #"{"id": "radio", "kind": "segments", "segments": [{"path": "0.ts", "urls": ["0.ts"], "duration": \#(serial)}, {"path": "1.ts", "urls": ["1.ts"], "duration": 1}]}"#
                ], serial: serial)
            #expect(try await stage.stock.sync().status == .exited(0))
        }
        #expect(
            (0..<2).map { number in stage.stock.server.exchanges("/\(number).ts").count { $0.status == 200 } } == [
                1, 1,
            ])
    }

    /// There and back again: what was published once before is not older than what was put into the store later.
    @Test func whatCameBackIsUnchanged() async throws {
        for (serial, changed) in [(1, Set<Int>()), (2, [1]), (3, [])] {
            stage.serve(3, changed: changed, hasDigests: false, serial: serial)
            #expect(try await stage.stock.sync().status == .exited(0))
        }
        let run = try await stage.stock.sync("--json")
        #expect(try run.finished.bundles("unchanged") == 1, "\(run)")
        #expect(stage.sentCounts(3)[0] == 1)
    }
}
