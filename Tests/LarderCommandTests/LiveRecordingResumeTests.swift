import FaultServer
import Glibc
import Jobs
import Platform
import TestSupport
import Testing

/// Recordings that were cut short, and how the next run goes on.
@Suite struct LiveRecordingResumeTests {
    private let stage: LiveStage

    init() throws { stage = try LiveStage() }

    private var told: Comment { "\(stage.warnings.withLock { $0 })" }

    @Test func aStoppedRecordingIsGoneOnWith() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""follow": 54"#)
        let control = RunControl()
        stage.clock.steps = [{ stage.list(2..<5) }, { control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        #expect(try stage.stock.published("m/film") == [])
        // What was recorded is gone from the server.
        stage.list(5..<9)
        stage.clock.steps = []
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        #expect(try stage.segments() == (0..<9).map { stage.stream($0) })
        #expect(stage.sentCounts(0..<9) == Array(repeating: 1, count: 9))
    }

    /// What was listed and fetched in the very moment of the stop is known to the next run, too.
    @Test func aStopWhileSegmentsComeLosesNoneOfThem() async throws {
        stage.list(0..<2)
        stage.serveFilm(#""follow": 42"#)
        let control = RunControl()
        stage.clock.steps = [
            {
                stage.list(2..<4)
                // The last of them is never answered.
                stage.stock.server.script("/f/s3.ts", [.altered { $0.stalled(afterBytes: 0) }])
            }
        ]
        let run = Task { try await stage.sync(control) }
        try await waitUntil("one is here and one is asked for") {
            try !stage.stock.server.exchanges("/f/s3.ts").isEmpty && stage.isNoted("/f/s2.ts")
        }
        control.stop(.terminated)
        #expect(try await run.value == .terminated)
        stage.list(3..<7)
        stage.clock.steps = []
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        #expect(try stage.segments() == (0..<7).map { stage.stream($0) })
    }

    @Test(arguments: [false, true])
    func whatWasRecordedWhenTheTimeIsUpIsPublishedWhereItMayBeShort(mayHaveGaps: Bool) async throws {
        stage.list(0..<3)
        stage.serveFilm(#""until": "\#(stage.clock.time(after: 60))", "gaps": \#(mayHaveGaps)"#)
        let control = RunControl()
        stage.clock.steps = [{ control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        stage.clock.pass(.seconds(100))
        stage.list(20..<23)
        #expect(try await stage.sync() == (mayHaveGaps ? .success : .failure), "\(stage.warnings.withLock { $0 })")
        #expect(stage.tells("nobody was there") && stage.tells("last 60 s"))
        if mayHaveGaps { #expect(try stage.segments() == (0..<3).map { stage.stream($0) }) }
    }

    /// What was stored in the clear needs no key any more.
    @Test func aClearRecordingIsGoneOnWithWithoutItsKeys() async throws {
        let show = { @Sendable (numbers: Range<Int>, key: String) in
            let lines = numbers.map { number in
                let change =
                    number == 7796
                    ? "#EXT-X-KEY:METHOD=AES-128,URI=\"k2.key\",IV=0xA0A1A2A3A4A5A6A7A8A9AAABACADAEAF\n" : ""
                return "\(change)#EXTINF:2,\ns\(number).ts\n"
            }.joined()
            stage.stock.server.serve(
                "/f/index.m3u8",
                Resource(
                    .text(
                        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(key)\(lines)"),
                    etag: "\"\(numbers)\""))
        }
        for number in 7794...7797 {
            stage.stock.server.serve("/f/s\(number).ts", Resource(.bytes(try mediaFile("c/v/s\(number).ts"))))
        }
        for name in ["k1.key", "k2.key"] {
            stage.stock.server.serve("/f/\(name)", Resource(.bytes(try mediaFile("c/keys/\(name)"))))
        }
        show(7794..<7796, "#EXT-X-KEY:METHOD=AES-128,URI=\"k1.key\"\n")
        stage.serveFilm(#""follow": 8, "decrypt": true"#)
        let control = RunControl()
        stage.clock.steps = [{ control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        stage.stock.server.serve("/f/k1.key", always: .errorPage(410))
        for number in 7794...7795 { stage.stock.server.serve("/f/s\(number).ts", always: .errorPage(410)) }
        show(7796..<7798, "")
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        #expect(try stage.segments() == (7794...7797).map { try mediaFile("c/clear/s\($0).ts") })
    }

    /// One playlist has all of it when a run is stopped, and its window moves on.
    @Test func whatIsCompleteIsNotFollowedAnyFurther() async throws {
        stage.serveMaster()
        stage.list(0..<4, of: "/f/a")
        stage.list(0..<2, of: "/f/v")
        stage.serveFilm(#""follow": 24"#)
        let control = RunControl()
        stage.clock.steps = [{ control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        stage.list(20..<24, of: "/f/a")
        stage.list(1..<5, of: "/f/v")
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        #expect(stage.stock.server.exchanges("/f/a/s20.ts").isEmpty)
    }

    /// By the machine's own stage.clock.
    @Test func aKilledRecordingIsGoneOnWith() async throws {
        stage.list(0..<3, duration: 1)
        stage.serveFilm(#""follow": 8"#)
        let run = try stage.stock.startSync()
        try await waitUntil("the first segments") { stage.sentCounts(0..<3) == [1, 1, 1] }
        stage.list(2..<5, duration: 1)
        try await waitUntil("the next ones") { stage.sentCounts(3..<5) == [1, 1] }
        // What was sent is in its place when the next answer is asked for.
        let reloads = stage.stock.server.exchanges("/f/index.m3u8").count
        try await waitUntil("a reload") { stage.stock.server.exchanges("/f/index.m3u8").count > reloads }
        run.kill(SIGKILL)
        _ = try await run.waitForExit()
        stage.list(5..<9, duration: 1)
        let last = try await stage.stock.sync()
        #expect(last.status == .exited(0), "\(last)")
        #expect(try stage.segments() == (0..<8).map { stage.stream($0) })
        #expect(stage.sentCounts(0..<5) == [1, 1, 1, 1, 1])
    }

    // MARK: Another session

    @Test func aRecordingIsGoneOnWithThoughItsPlaylistsHaveOtherTokens() async throws {
        let list = { @Sendable (numbers: Range<Int>) in
            stage.list(numbers, of: "/f/v")
            stage.list(numbers, of: "/f/a")
        }
        stage.serveMaster(query: "?token=1")
        list(0..<2)
        stage.serveFilm(#""follow": 24"#)
        let control = RunControl()
        stage.clock.steps = [{ control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        stage.serveMaster(query: "?token=2")
        list(2..<4)
        #expect(try await stage.sync() == .success, told)
        #expect(stage.stock.server.exchanges("/f/v/s0.ts").count == 1)
    }

    @Test func aRecordingOfOtherPlaylistsIsToldAndKept() async throws {
        stage.serveMaster()
        for folder in ["/f/v", "/f/a"] { stage.list(0..<2, of: folder) }
        stage.serveFilm(#""follow": 24"#)
        let control = RunControl()
        stage.clock.steps = [{ control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        // For a while there is a playlist without a master.
        stage.list(5..<9)
        #expect(try await stage.sync() == .failure)
        #expect(stage.tells("other playlists") && stage.tells("\"version\""))
        stage.serveMaster()
        for folder in ["/f/v", "/f/a"] { stage.list(2..<4, of: folder) }
        #expect(try await stage.sync() == .success, told)
        #expect(stage.stock.server.exchanges("/f/v/s0.ts").count == 1)
    }

    /// A session may have a folder of its own.
    @Test func aRecordingIsGoneOnWithThoughItsPlaylistsHaveMoved() async throws {
        let serve = { @Sendable (token: String, numbers: Range<Int>) in
            stage.serveMaster(folder: token)
            for folder in ["v", "a"] { stage.list(numbers, of: "/f/\(token)\(folder)") }
        }
        serve("t1/", 0..<2)
        stage.serveFilm(#""follow": 24"#)
        let control = RunControl()
        stage.clock.steps = [{ control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        for folder in ["v", "a"] { stage.stock.server.serve("/f/t1/\(folder)/s0.ts", always: .errorPage(410)) }
        serve("t2/", 1..<4)
        #expect(try await stage.sync() == .success, told)
        #expect(stage.stock.server.exchanges("/f/t2/v/s1.ts").isEmpty)
    }

    // MARK: What is written down

    /// Its run could put nothing into the store: what was recorded is all there for the next one.
    @Test func aRecordingThatCouldNotBeStoredIsStoredByTheNextRun() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""follow": 30"#)
        let control = RunControl()
        stage.clock.steps = [{ control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        let obstacle = try stage.stock.directory.write([], to: "library/store/m")
        stage.list(2..<5)
        #expect(try await stage.sync() == .failure, told)
        #expect(unlink(obstacle) == 0)
        // What was recorded is gone from the server.
        stage.list(20..<23)
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == (0..<5).map { stage.stream($0) })
        #expect(stage.sentCounts(0..<5) == [1, 1, 1, 1, 1])
    }

    /// Else a recording of days would write down more with each look.
    @Test func noSegmentIsWrittenDownTwice() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""follow": 600"#)
        let control = RunControl()
        stage.clock.steps = (1..<20).map { start in { stage.list(start..<(start + 3)) } }
        stage.clock.steps.append { control.stop(.terminated) }
        #expect(try await stage.sync(control) == .terminated)
        let pieces = try stage.recordPieces()
        for number in 0..<22 { #expect(pieces.count { $0.contains("/s\(number).ts") } == 1, "segment \(number)") }
    }

    /// As when its run is killed while it writes.
    @Test func aNoteThatWasCutShortCostsNothingThatCameBefore() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""follow": 54"#)
        let control = RunControl()
        stage.clock.steps = [{ stage.list(3..<6) }, { control.stop(.terminated) }]
        #expect(try await stage.sync(control) == .terminated)
        try stage.cutLastRecordPiece()
        stage.list(3..<9)
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == (0..<9).map { stage.stream($0) })
        #expect(stage.sentCounts(0..<3) == [1, 1, 1])
    }
}
