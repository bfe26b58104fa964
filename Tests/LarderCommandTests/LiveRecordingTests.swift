import FaultServer
import Glibc
import Jobs
import Platform
import TestSupport
import Testing

/// Live presentations, on a clock that moves only when a run waits: each wait is when the server lists something else.
@Suite struct LiveRecordingTests {
    private let stage: LiveStage

    init() throws { stage = try LiveStage() }

    @Test func aWindowThatMovesIsRecordedUntilTheTimeIsUp() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""until": "\#(stage.clock.time(after: 20))""#)
        stage.clock.steps = [
            { stage.list(2..<5) }, { stage.list(2..<5) }, { stage.list(4..<7) }, { stage.list(6..<9) },
            { stage.list(7..<10) },
        ]
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        // A target duration after a change, half of it where there was none (RFC 8216 §6.3.4), and no longer than the recording.
        #expect(stage.clock.waits == [6, 6, 3, 5])
        #expect(try stage.segments() == (0..<9).map { stage.stream($0) })
        #expect(stage.sentCounts(0..<9) == Array(repeating: 1, count: 9))
        #expect(try stage.playlist().last == "#EXT-X-ENDLIST")
        #expect(try stage.stock.published("m/film").sorted() == ["index.m3u8", "media"])

        // It is made once: nobody is asked again, whatever is listed by now.
        let asked = stage.stock.server.exchanges("/f/index.m3u8").count
        #expect(try await stage.sync() == .success)
        #expect(stage.stock.server.exchanges("/f/index.m3u8").count == asked)
    }

    @Test func aRecordingIsAsLongAsItIsAskedToBe() async throws {
        stage.list(0..<2)
        stage.serveFilm(#""follow": 23"#)
        stage.clock.steps = [{ stage.list(1..<3) }, { stage.list(2..<6) }]
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        #expect(try stage.segments() == (0..<4).map { stage.stream($0) })
    }

    @Test func anEndThatIsAnnouncedIsTheEnd() async throws {
        stage.list(0..<2)
        stage.serveFilm(#""follow": 10000"#)
        stage.clock.steps = [{ stage.list(1..<4, hasEnd: true) }]
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        #expect(try stage.segments() == (0..<4).map { stage.stream($0) })
        #expect(stage.clock.waits == [6])
    }

    /// The vectors of these segments follow from their numbers, which the window's own first number tells.
    @Test func numbersStayWhatTheyWere() async throws {
        stage.list(7..<9)
        stage.serveFilm(#""follow": 20"#)
        stage.clock.steps = [{ stage.list(8..<12) }]
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        #expect(try stage.playlist().contains("#EXT-X-MEDIA-SEQUENCE:7"))
    }

    @Test(arguments: [false, true])
    func whatWasLostIsToldAndNeverPublishedUnasked(mayHaveGaps: Bool) async throws {
        stage.list(0..<3)
        stage.serveFilm(#""follow": 42, "gaps": \#(mayHaveGaps)"#)
        stage.clock.steps = [{ stage.list(5..<8) }]
        let exit = try await stage.sync()
        if mayHaveGaps {
            #expect(exit == .success, "\(stage.warnings.withLock { $0 })")
            #expect(try stage.playlist().count { $0 == "#EXT-X-GAP" } == 2)
            #expect(stage.tells("2 segments"))
            let names = try stage.playlist().filter { !$0.hasPrefix("#") && !$0.hasPrefix("media/gap") }
            #expect(
                try names.map { try stage.stock.content("film/\($0)") } == [0, 1, 2, 5, 6].map { stage.stream($0) })
        } else {
            #expect(exit == .failure)
            #expect(stage.tells("2 segments") && stage.tells("\"gaps\""))
            #expect(try stage.stock.published("m/film") == [])
            // With leave to have a gap the next run goes on with what was here.
            stage.serveFilm(#""follow": 42, "gaps": true"#, serial: 2)
            #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
            #expect(stage.sentCounts(0..<3) == [1, 1, 1] && stage.tells("has gaps"))
        }
    }

    /// A segment that can't be had at once is asked for again while it is listed, and is lost when it isn't any more.
    @Test(arguments: [false, true])
    func aSegmentThatFailsIsAskedForWhileItIsListed(comesBack: Bool) async throws {
        stage.list(0..<3)
        stage.stock.server.serve("/f/s2.ts", always: .errorPage(500))
        stage.serveFilm(#""follow": 30, "gaps": true"#)
        stage.clock.steps = [
            {
                stage.list(1..<4)
                if !comesBack { stage.stock.server.serve("/f/s2.ts", always: .errorPage(500)) }
            }, { stage.list(3..<6) },
        ]
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        #expect(try stage.playlist().contains("#EXT-X-GAP") == !comesBack)
        #expect(stage.tells("lost") == !comesBack)
        if comesBack { #expect(try stage.segments() == (0..<5).map { stage.stream($0) }) }
    }

    @Test func whatNobodyFollowedInTimeIsRefused() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""until": "\#(stage.clock.time(after: -1))""#)
        #expect(try await stage.sync() == .failure)
        #expect(stage.tells("has passed") && stage.sentCounts(0..<3) == [0, 0, 0])
    }

    @Test func aStreamThatStandsStillDoesNotKeepARunForever() async throws {
        stage.list(0..<3)
        stage.serveFilm(#""follow": 600"#)
        #expect(try await stage.sync() == .failure)
        #expect(stage.tells("60 s"))
        #expect(stage.clock.waits.reduce(0, +) <= 75)
    }

    @Test func aStreamThatBeganAnewIsNotMixed() async throws {
        stage.list(5..<8)
        stage.serveFilm(#""follow": 600"#)
        stage.clock.steps = [{ stage.list(0..<2) }]
        #expect(try await stage.sync() == .failure)
        #expect(stage.tells("began anew"))
    }

    @Test func allPlaylistsOfAPresentationAreFollowed() async throws {
        stage.serveMaster()
        let listBoth = { @Sendable (numbers: Range<Int>) in
            stage.list(numbers, of: "/f/v")
            stage.list(numbers, of: "/f/a")
        }
        listBoth(0..<2)
        stage.serveFilm(#""follow": 24"#)
        stage.clock.steps = [{ listBoth(1..<3) }, { listBoth(2..<5) }]
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        let names = try stage.stock.published("m/film").filter { $0.hasSuffix(".m3u8") && $0 != "index.m3u8" }
        #expect(names.count == 2)
        for name in names {
            let text = String(decoding: try stage.stock.content("film/\(name)"), as: UTF8.self)
            #expect(text.split(separator: "\n").count { !$0.hasPrefix("#") } == 4 && text.hasSuffix("#EXT-X-ENDLIST\n"))
        }
    }

    /// A film that is shown as if it were live, and recorded, plays like the film.
    @Test func aRecordingPlaysAsTheFilmDoes() async throws {
        let folder = "\(mediaFolder)/a/hi"
        let film = String(decoding: try mediaFile("a/hi/index.m3u8"), as: UTF8.self).split(separator: "\n")
        let names = film.filter { !$0.hasPrefix("#") }.map(String.init)
        for name in names { stage.stock.server.serve("/f/\(name)", Resource(.bytes(try mediaFile("a/hi/\(name)")))) }
        let durations = film.filter { $0.hasPrefix("#EXTINF") }.map(String.init)
        let show = { @Sendable (numbers: Range<Int>) in
            let lines = numbers.map { "\(durations[$0])\n\(names[$0])\n" }.joined()
            let end = numbers.upperBound == names.count ? "#EXT-X-ENDLIST\n" : ""
            stage.stock.server.serve(
                "/f/index.m3u8",
                Resource(
                    .text(
                        "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(lines)\(end)"
                    ), etag: "\"\(numbers)\""))
        }
        try #require(names.count > 3)
        show(0..<2)
        stage.serveFilm(#""follow": 10000"#)
        stage.clock.steps = (1...(names.count - 2)).map { start in { show(start..<(start + 2)) } }
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        let played = try await MediaPlayer.frames(
            of: "\(stage.stock.library)/current/m/film/index.m3u8", isOffline: false)
        #expect(try await MediaPlayer.frames(of: "\(folder)/index.m3u8", isOffline: false) == played)
    }

    /// Subtitles may begin long after the picture.
    @Test func aPlaylistThatIsStillEmptyKeepsNothingOfTheOthersBack() async throws {
        stage.serveMaster()
        stage.list(0..<0, of: "/f/a")
        stage.list(0..<2, of: "/f/v")
        stage.serveFilm(#""until": "\#(stage.clock.time(after: 12))""#)
        stage.clock.steps = [{ stage.list(2..<4, of: "/f/v") }, { stage.list(0..<2, of: "/f/a") }]
        #expect(try await stage.sync() == .success, "\(stage.warnings.withLock { $0 })")
        let counts = (0..<4).map { stage.stock.server.exchanges("/f/v/s\($0).ts").count { $0.status == 200 } }
        #expect(counts == [1, 1, 1, 1])
    }
}
