import FaultServer
import Jobs
import Platform
import TestSupport
import Testing

/// What goes wrong with a live presentation, at its server and here, and what becomes of its recording.
@Suite struct LiveRecordingFaultTests {
    private let stage: LiveStage

    init() throws { stage = try LiveStage() }

    private var told: Comment { "\(stage.warnings.withLock { $0 })" }

    private func until(_ seconds: Int64, mayHaveGaps: Bool = false) -> String {
        #""until": "\#(stage.clock.time(after: seconds))", "gaps": \#(mayHaveGaps)"#
    }

    // MARK: Its end

    /// A server that is down when the recording ends has brought no complete one.
    @Test(arguments: [false, true])
    func aRecordingWhoseLastLookFailsIsShort(mayHaveGaps: Bool) async throws {
        stage.list(0..<3)
        stage.serveFilm(until(30, mayHaveGaps: mayHaveGaps))
        stage.clock.steps = [
            { stage.list(2..<5) }, { stage.stock.server.serve("/f/index.m3u8", always: .errorPage(503)) },
        ]
        #expect(try await stage.sync() == (mayHaveGaps ? .success : .failure), told)
        #expect(stage.tells("last 24 s") && stage.tells("\"gaps\"") == !mayHaveGaps)
        if !mayHaveGaps {
            // What came is there for a run that lets it be short.
            stage.serveFilm(until(30, mayHaveGaps: true), serial: 2)
            stage.list(20..<23)
            #expect(try await stage.sync() == .success, told)
        }
        #expect(try stage.segments() == (0..<5).map { stage.stream($0) })
    }

    /// What the other playlists list at the last look is fetched all the same.
    @Test func theLastSegmentsOfAShortRecordingAreKept() async throws {
        stage.serveMaster()
        for folder in ["/f/v", "/f/a"] { stage.list(0..<2, of: folder) }
        stage.serveFilm(until(6))
        stage.clock.steps = [
            {
                stage.list(2..<4, of: "/f/v")
                stage.stock.server.serve("/f/a/index.m3u8", always: .errorPage(503))
            }
        ]
        #expect(try await stage.sync() == .failure)
        #expect(stage.stock.server.exchanges("/f/v/s3.ts").count == 1)
    }

    @Test func aStreamThatStandsStillUntilTheTimeIsUpIsShort() async throws {
        stage.list(0..<3)
        stage.serveFilm(until(100))
        #expect(try await stage.sync() == .failure)
        #expect(stage.tells("last 100 s"))
    }

    /// Complete, but its run couldn't publish it: nothing is missing of it.
    @Test func aRecordingThatCameToItsEndIsPublishedByTheNextRun() async throws {
        stage.list(0..<3)
        stage.serveFilm(until(12))
        let control = RunControl()
        stage.clock.steps = [
            { stage.list(2..<4) },
            {
                stage.list(3..<5)
                stage.stock.server.script("/f/s4.ts", [.altered { $0.stalled(afterBytes: 0) }])
            },
        ]
        let run = Task { try await stage.sync(control) }
        try await stage.stock.server.waitForRequest("/f/s4.ts")
        control.stop(.terminated)
        #expect(try await run.value == .terminated)
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == (0..<5).map { stage.stream($0) })
    }

    // MARK: Another stream

    @Test func filesOfAnotherRecordingAreNotTaken() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""follow": 18, "version": "1""#)
        let control = RunControl()
        stage.stock.server.script("/f/s2.ts", [.altered { $0.stalled(afterBytes: 0) }])
        let run = Task { try await stage.sync(control) }
        try await waitUntil("what has come") { try stage.isNoted("/f/s0.ts") && stage.isNoted("/f/s1.ts") }
        control.stop(.terminated)
        #expect(try await run.value == .terminated)
        for number in 0..<3 {
            stage.stock.server.serve(
                "/f/s\(number).ts", Resource(.bytes(stage.stream(number + 20)), etag: nil, lastModified: nil))
        }
        stage.serveFilm(#""follow": 18, "version": "2""#, serial: 2)
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == (20..<23).map { stage.stream($0) })
    }

    /// An encoder that begins again counts from 0, with the names that it had before.
    @Test(arguments: [0..<2, 8..<11])
    func aStreamThatBeganAnewInsideKnownNumbersIsNotWaitedFor(window: Range<Int>) async throws {
        stage.list(7..<10)
        stage.serveFilm(until(10_000, mayHaveGaps: true))
        stage.clock.steps = [{ stage.list(9..<12) }, { stage.list(window) }]
        #expect(try await stage.sync() == .failure)
        #expect(stage.tells("began anew") && stage.tells("\"version\""))
        #expect(stage.clock.waits.reduce(0, +) < 60)
    }

    @Test func aCacheThatIsOldForAWhileIsNoNewStream() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""follow": 42"#)
        stage.clock.steps = [{ stage.list(2..<5) }, { stage.list(1..<4) }, { stage.list(4..<7) }]
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == (0..<7).map { stage.stream($0) })
    }

    // MARK: This machine

    @Test func aFullDiskIsNoGap() async throws {
        stage.list(0..<3)
        stage.stock.server.serve("/f/s2.ts", Resource(.pattern(lengthBytes: 1 << 60, seed: 1)))
        stage.serveFilm(#""follow": 18, "gaps": true"#)
        stage.clock.steps = [{ stage.list(3..<6) }]
        #expect(try await stage.sync() == .noSpace, told)
        #expect(try stage.stock.published("m/film") == [])
    }

    // MARK: Slow segments

    /// One that stalls for as long as it may doesn't keep the next ones from coming.
    @Test func aSegmentThatStallsKeepsNobodyFromLooking() async throws {
        let gate = try Gate()
        stage.list(0..<3)
        stage.stock.server.script("/f/s1.ts", [.altered { $0.stalled(afterBytes: 188, until: gate) }])
        stage.serveFilm(#""follow": 54"#)
        let windows = Locked([0..<3, 3..<6, 6..<9])
        stage.clock.settling = { isIdle in
            guard let window = windows.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                try? await waitUntil("what stalled") { isIdle() }
                return
            }
            // Time passes as soon as each window has come, but for what stalls.
            for number in window {
                let path = "/f/s\(number).ts"
                if number == 1 {
                    try? await stage.stock.server.waitUntilSent(path, bytes: 188)
                } else {
                    _ = try? await stage.stock.server.waitForEnd(path)
                }
            }
        }
        stage.clock.steps = [
            { stage.list(3..<6) },
            {
                stage.list(6..<9)
                gate.open()
            },
        ]
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == (0..<9).map { stage.stream($0) })
    }

    // MARK: Keys

    /// What is live is asked for once: its key comes first.
    @Test func aKeyThatIsLateCostsNoSegment() async throws {
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:7794\n"
        let lines = "#EXT-X-KEY:METHOD=AES-128,URI=\"k1.key\"\n#EXTINF:2,\ns7794.ts\n#EXTINF:2,\ns7795.ts\n"
        stage.stock.server.serve("/f/index.m3u8", Resource(.text(media + lines)))
        for number in 7794...7795 {
            stage.stock.server.serve(
                "/f/s\(number).ts", Resource(.bytes(try mediaFile("c/v/s\(number).ts")), etag: nil, lastModified: nil))
        }
        stage.stock.server.serve("/f/k1.key", always: .errorPage(500))
        stage.serveFilm(#""follow": 4, "decrypt": true"#)
        #expect(try await stage.sync() == .failure)
        #expect(stage.stock.server.exchanges("/f/s7794.ts").isEmpty)
        stage.stock.server.serve("/f/k1.key", Resource(.bytes(try mediaFile("c/keys/k1.key"))))
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == (7794...7795).map { try mediaFile("c/clear/s\($0).ts") })
    }
}
