import FaultServer
import Jobs
import Platform
import TestSupport
import Testing

/// What hangs, would not play or stands still while a live presentation is recorded, and that nothing else is lost with it.
@Suite struct LiveRecordingLossTests {
    private let stage: LiveStage

    init() throws { stage = try LiveStage() }

    private var told: Comment { "\(stage.warnings.withLock { $0 })" }

    /// What the copy has besides its gaps.
    private func present() throws -> [[UInt8]] {
        try stage.playlist().filter { !$0.hasPrefix("#") && !$0.hasPrefix("media/gap") }
            .map { try stage.stock.content("film/\($0)") }
    }

    /// A connection that brings nothing, however long it is waited for: the others go on, and at the end it is given up.
    @Test(arguments: [false, true])
    func aSegmentThatHangsIsGivenUpAtTheEnd(mayHaveGaps: Bool) async throws {
        stage.list(0..<3, duration: 1)
        stage.stock.server.script("/f/s1.ts", [.altered { $0.stalled(afterBytes: 0) }])
        stage.serveFilm(#""follow": 6, "gaps": \#(mayHaveGaps)"#)
        let windows = Locked([0..<3, 3..<4, 4..<5])
        stage.clock.settling = { _ in
            for number in windows.withLock({ $0.isEmpty ? 0..<0 : $0.removeFirst() }) {
                if number == 1 {
                    _ = try? await stage.stock.server.waitForRequest("/f/s1.ts")
                } else {
                    _ = try? await stage.stock.server.waitForEnd("/f/s\(number).ts")
                }
            }
        }
        stage.clock.steps = [
            { stage.list(1..<4, duration: 1) }, { stage.list(2..<5, duration: 1) }, { stage.list(3..<6, duration: 1) },
        ]
        let exit = try await stage.sync { $0.clock.lastWait = .seconds(2) }
        #expect(exit == (mayHaveGaps ? .success : .failure), told)
        #expect(stage.tells("didn't come in time"))
        if mayHaveGaps { #expect(try present() == [0, 2, 3, 4, 5].map { stage.stream($0) }) }
    }

    @Test func aReloadThatHangsIsGivenUpForTheNextOne() async throws {
        stage.list(0..<3, duration: 1)
        stage.serveFilm(#""follow": 5"#)
        stage.clock.steps = [
            {
                stage.list(1..<4, duration: 1)
                stage.stock.server.script("/f/index.m3u8", [.altered { $0.stalled(afterBytes: 0) }])
            }, { stage.list(2..<5, duration: 1) },
        ]
        #expect(try await stage.sync { $0.clock.answerTime = .milliseconds(500) } == .success, told)
        #expect(try stage.segments() == (0..<5).map { stage.stream($0) })
        #expect(stage.tells("within 1.0 s") && stage.tells("asked for again"))
    }

    /// One bad segment is no reason to lose hours that are here and nowhere else.
    @Test func whatWouldNotPlayIsLostAloneAndNeverPublishedUnasked() async throws {
        stage.list(0..<3)
        stage.stock.server.serve("/f/s1.ts", Resource(.text("an error, and status 200")))
        stage.serveFilm(#""follow": 24"#)
        stage.clock.steps = [{ stage.list(2..<4) }]
        #expect(try await stage.sync() == .failure)
        #expect(stage.tells("it is neither") && stage.tells("\"gaps\""))
        // What was here then is gone from the server.
        stage.list(20..<23)
        stage.serveFilm(#""follow": 24, "gaps": true"#, serial: 2)
        #expect(try await stage.sync() == .success, told)
        #expect(try present() == [0, 2, 3].map { stage.stream($0) })
        #expect(try stage.stock.published("m/film/media").count == 3)
    }

    /// It is the key's fault, and a key may come right: no segment goes.
    @Test func aKeyThatIsNoneCostsNoSegment() async throws {
        let names = ["s7794.ts", "s7795.ts"]
        let lines = names.map { "#EXTINF:2,\n\($0)\n" }.joined()
        stage.stock.server.serve(
            "/f/index.m3u8",
            Resource(
                .text(
                    "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:7794\n#EXT-X-KEY:METHOD=AES-128,URI=\"k1.key\"\n\(lines)"
                )))
        for name in names {
            stage.stock.server.serve(
                "/f/\(name)", Resource(.bytes(try mediaFile("c/v/\(name)")), etag: nil, lastModified: nil))
        }
        stage.stock.server.serve("/f/k1.key", Resource(.text("a short one"), etag: nil, lastModified: nil))
        stage.serveFilm(#""follow": 4, "gaps": true"#)
        #expect(try await stage.sync() == .failure)
        #expect(stage.tells("16 bytes"))
        for name in names { stage.stock.server.serve("/f/\(name)", always: .errorPage(404)) }
        stage.stock.server.serve("/f/k1.key", Resource(.bytes(try mediaFile("c/keys/k1.key"))))
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == names.map { try mediaFile("c/v/\($0)") })
    }

    @Test func aRenditionThatStandsStillIsTold() async throws {
        stage.serveMaster()
        stage.list(0..<2, of: "/f/a")
        stage.list(0..<2, of: "/f/v")
        stage.serveFilm(#""until": "\#(stage.clock.time(after: 12))""#)
        stage.clock.steps = [{ stage.list(2..<5, of: "/f/v") }]
        #expect(try await stage.sync() == .success, told)
        #expect(stage.tells("the shortest plays 12.0 s, and the longest 30.0 s"))
    }
}
