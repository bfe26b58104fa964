import FaultServer
import Glibc
import Jobs
import Platform
import TestSupport
import Testing

/// Live presentations, on a clock that moves only when a run waits: each wait is when the server lists something else.
@Suite struct LiveRecordingTests {
    private let stock: Stock
    private let clock = SteppedClock()
    private let warnings = Locked<[String]>([])

    init() throws { stock = try Stock() }

    /// A transport stream of so many packets.
    private func stream(_ number: Int) -> [UInt8] {
        (0..<100).flatMap { packet in
            [0x47] + (1..<188).map { UInt8(truncatingIfNeeded: number &* 7 &+ packet &+ $0) }
        }
    }

    /// Lists segments, each of which is there for as long as it is listed, and no others.
    private func list(
        _ numbers: Range<Int>, of folder: String = "/f", duration: Int = 6, more: String = "", hasEnd: Bool = false
    ) {
        let lines = numbers.map { "#EXTINF:\(duration).0,\ns\($0).ts\n" }.joined()
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:\(duration)\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(more)\(lines)"
            + (hasEnd ? "#EXT-X-ENDLIST\n" : "")
        stock.server.serve("\(folder)/index.m3u8", Resource(.text(text), etag: "\"\(SHA256.digest(of: text.utf8))\""))
        for number in 0..<40 {
            if numbers.contains(number) {
                // A live server seldom says more of a segment than that it is there.
                stock.server.serve(
                    "\(folder)/s\(number).ts", Resource(.bytes(stream(number)), etag: nil, lastModified: nil))
            } else {
                stock.server.serve("\(folder)/s\(number).ts", always: .errorPage(404))
            }
        }
    }

    private func serveFilm(_ more: String, serial: Int = 1) {
        stock.serveManifest(
            [#"{"id": "film", "kind": "hls", \#(more), "urls": ["f/index.m3u8"]}"#], serial: serial)
    }

    private func sync(_ control: RunControl = RunControl()) async throws -> ExitCode {
        var options = RunOptions(
            libraryPath: stock.library, manifests: [try ManifestLocation(stock.manifestURL, base: nil)])
        options.minimumFree = .bytes(0)
        options.downloads.retry.retries = 0
        options.clock = clock.clock
        return await SyncRun(options, control: control) { event in
            switch event.kind {
            case .warning(let text), .bundleFailed(_, let text), .runFailed(_, let text), .manifestFinding(let text, _):
                warnings.withLock { $0.append(text) }
            default: break
            }
        }.run().exit
    }

    private func tells(_ words: String) -> Bool { warnings.withLock { $0 }.contains { $0.contains(words) } }

    private func playlist() throws -> [String] {
        String(decoding: try stock.content("film/index.m3u8"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func segments() throws -> [[UInt8]] {
        try playlist().filter { !$0.hasPrefix("#") }.map { try stock.content("film/\($0)") }
    }

    /// Whether a file's arrival was written down for later runs.
    private func isNoted(_ path: String) throws -> Bool {
        let staging = "\(stock.library)/.larder/staging"
        let journals = try directoryEntries(FilePathBytes(staging)).map(\.description).filter {
            $0.hasSuffix("-journal")
        }
        return try journals.contains { name in
            String(decoding: try readFile("\(staging)/\(name)"), as: UTF8.self).contains(path)
        }
    }

    private func sentCounts(_ numbers: Range<Int>) -> [Int] {
        numbers.map { number in stock.server.exchanges("/f/s\(number).ts").count { $0.status == 200 } }
    }

    @Test func aWindowThatMovesIsRecordedUntilTheTimeIsUp() async throws {
        list(0..<3)
        serveFilm(#""until": "\#(clock.time(after: 20))""#)
        clock.steps = [{ list(2..<5) }, { list(2..<5) }, { list(4..<7) }, { list(6..<9) }, { list(7..<10) }]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        // A target duration after a change, half of it where there was none (RFC 8216 §6.3.4), and no longer than the recording.
        #expect(clock.waits == [6, 6, 3, 5])
        #expect(try segments() == (0..<9).map { stream($0) })
        #expect(sentCounts(0..<9) == Array(repeating: 1, count: 9))
        #expect(try playlist().last == "#EXT-X-ENDLIST")
        #expect(try stock.published("m/film").sorted() == ["index.m3u8", "media"])

        // It is made once: nobody is asked again, whatever is listed by now.
        let asked = stock.server.exchanges("/f/index.m3u8").count
        #expect(try await sync() == .success)
        #expect(stock.server.exchanges("/f/index.m3u8").count == asked)
    }

    @Test func aRecordingIsAsLongAsItIsAskedToBe() async throws {
        list(0..<2)
        serveFilm(#""follow": 23"#)
        clock.steps = [{ list(1..<3) }, { list(2..<6) }]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try segments() == (0..<4).map { stream($0) })
    }

    @Test func anEndThatIsAnnouncedIsTheEnd() async throws {
        list(0..<2)
        serveFilm(#""follow": 10000"#)
        clock.steps = [{ list(1..<4, hasEnd: true) }]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try segments() == (0..<4).map { stream($0) })
        #expect(clock.waits == [6])
    }

    /// The vectors of these segments follow from their numbers, which the window's own first number tells.
    @Test func numbersStayWhatTheyWere() async throws {
        list(7..<9)
        serveFilm(#""follow": 20"#)
        clock.steps = [{ list(8..<12) }]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try playlist().contains("#EXT-X-MEDIA-SEQUENCE:7"))
    }

    @Test(arguments: [false, true])
    func whatWasLostIsToldAndNeverPublishedUnasked(mayHaveGaps: Bool) async throws {
        list(0..<3)
        serveFilm(#""follow": 42, "gaps": \#(mayHaveGaps)"#)
        clock.steps = [{ list(5..<8) }]
        let exit = try await sync()
        if mayHaveGaps {
            #expect(exit == .success, "\(warnings.withLock { $0 })")
            #expect(try playlist().count { $0 == "#EXT-X-GAP" } == 2)
            #expect(tells("2 segments"))
            let names = try playlist().filter { !$0.hasPrefix("#") && !$0.hasPrefix("media/gap") }
            #expect(try names.map { try stock.content("film/\($0)") } == [0, 1, 2, 5, 6].map { stream($0) })
        } else {
            #expect(exit == .failure)
            #expect(tells("2 segments") && tells("\"gaps\""))
            #expect(try stock.published("m/film") == [])
            // With leave to have a gap the next run goes on with what was here.
            serveFilm(#""follow": 42, "gaps": true"#, serial: 2)
            #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
            #expect(sentCounts(0..<3) == [1, 1, 1] && tells("has gaps"))
        }
    }

    /// A segment that can't be had at once is asked for again while it is listed, and is lost when it isn't any more.
    @Test(arguments: [false, true])
    func aSegmentThatFailsIsAskedForWhileItIsListed(comesBack: Bool) async throws {
        list(0..<3)
        stock.server.serve("/f/s2.ts", always: .errorPage(500))
        serveFilm(#""follow": 30, "gaps": true"#)
        clock.steps = [
            {
                list(1..<4)
                if !comesBack { stock.server.serve("/f/s2.ts", always: .errorPage(500)) }
            }, { list(3..<6) },
        ]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try playlist().contains("#EXT-X-GAP") == !comesBack)
        #expect(tells("lost") == !comesBack)
        if comesBack { #expect(try segments() == (0..<5).map { stream($0) }) }
    }

    @Test func aStoppedRecordingIsGoneOnWith() async throws {
        list(0..<3)
        serveFilm(#""follow": 54"#)
        let control = RunControl()
        clock.steps = [{ list(2..<5) }, { control.stop(.terminated) }]
        #expect(try await sync(control) == .terminated)
        #expect(try stock.published("m/film") == [])
        // What was recorded is gone from the server.
        list(5..<9)
        clock.steps = []
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try segments() == (0..<9).map { stream($0) })
        #expect(sentCounts(0..<9) == Array(repeating: 1, count: 9))
    }

    /// What was listed and fetched in the very moment of the stop is known to the next run, too.
    @Test func aStopWhileSegmentsComeLosesNoneOfThem() async throws {
        list(0..<2)
        serveFilm(#""follow": 42"#)
        let control = RunControl()
        clock.steps = [
            {
                list(2..<4)
                // The last of them is never answered.
                stock.server.script("/f/s3.ts", [.altered { $0.stalled(afterBytes: 0) }])
            }
        ]
        let run = Task { try await sync(control) }
        try await waitUntil("one is here and one is asked for") {
            try !stock.server.exchanges("/f/s3.ts").isEmpty && isNoted("/f/s2.ts")
        }
        control.stop(.terminated)
        #expect(try await run.value == .terminated)
        list(3..<7)
        clock.steps = []
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try segments() == (0..<7).map { stream($0) })
    }

    @Test func whatWasRecordedWhenTheTimeIsUpIsPublishedByTheNextRun() async throws {
        list(0..<3)
        serveFilm(#""until": "\#(clock.time(after: 60))""#)
        let control = RunControl()
        clock.steps = [{ control.stop(.terminated) }]
        #expect(try await sync(control) == .terminated)
        clock.pass(.seconds(100))
        list(20..<23)
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try segments() == (0..<3).map { stream($0) })
        #expect(tells("nobody was there"))
    }

    @Test func whatNobodyFollowedInTimeIsRefused() async throws {
        list(0..<3)
        serveFilm(#""until": "\#(clock.time(after: -1))""#)
        #expect(try await sync() == .failure)
        #expect(tells("has passed") && sentCounts(0..<3) == [0, 0, 0])
    }

    @Test func aStreamThatStandsStillDoesNotKeepARunForever() async throws {
        list(0..<3)
        serveFilm(#""follow": 600"#)
        #expect(try await sync() == .failure)
        #expect(tells("60 s"))
        #expect(clock.waits.reduce(0, +) <= 75)
    }

    @Test func aStreamThatBeganAnewIsNotMixed() async throws {
        list(5..<8)
        serveFilm(#""follow": 600"#)
        clock.steps = [{ list(0..<2) }]
        #expect(try await sync() == .failure)
        #expect(tells("began anew"))
    }

    @Test func allPlaylistsOfAPresentationAreFollowed() async throws {
        let master =
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES,URI=\"a/index.m3u8\"\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO=\"a\"\nv/index.m3u8\n"
        stock.server.serve("/f/index.m3u8", Resource(.text(master)))
        let listBoth = { @Sendable (numbers: Range<Int>) in
            list(numbers, of: "/f/v")
            list(numbers, of: "/f/a")
        }
        listBoth(0..<2)
        serveFilm(#""follow": 24"#)
        clock.steps = [{ listBoth(1..<3) }, { listBoth(2..<5) }]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        let names = try stock.published("m/film").filter { $0.hasSuffix(".m3u8") && $0 != "index.m3u8" }
        #expect(names.count == 2)
        for name in names {
            let text = String(decoding: try stock.content("film/\(name)"), as: UTF8.self)
            #expect(text.split(separator: "\n").count { !$0.hasPrefix("#") } == 4 && text.hasSuffix("#EXT-X-ENDLIST\n"))
        }
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
            stock.server.serve(
                "/f/index.m3u8",
                Resource(
                    .text(
                        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(key)\(lines)"),
                    etag: "\"\(numbers)\""))
        }
        for number in 7794...7797 {
            stock.server.serve("/f/s\(number).ts", Resource(.bytes(try mediaFile("c/v/s\(number).ts"))))
        }
        for name in ["k1.key", "k2.key"] {
            stock.server.serve("/f/\(name)", Resource(.bytes(try mediaFile("c/keys/\(name)"))))
        }
        show(7794..<7796, "#EXT-X-KEY:METHOD=AES-128,URI=\"k1.key\"\n")
        serveFilm(#""follow": 8, "decrypt": true"#)
        let control = RunControl()
        clock.steps = [{ control.stop(.terminated) }]
        #expect(try await sync(control) == .terminated)
        stock.server.serve("/f/k1.key", always: .errorPage(410))
        for number in 7794...7795 { stock.server.serve("/f/s\(number).ts", always: .errorPage(410)) }
        show(7796..<7798, "")
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try segments() == (7794...7797).map { try mediaFile("c/clear/s\($0).ts") })
    }

    /// Names that come round again: the same bytes are one file, other bytes are never taken for those that are here.
    @Test(arguments: [true, false]) func aNameThatIsUsedAgainMustMeanTheSame(isSame: Bool) async throws {
        let names = ["a", "b", "c", "a"]
        let list = { @Sendable (numbers: Range<Int>, version: Int) in
            let lines = numbers.map { "#EXTINF:6,\n\(names[$0]).ts\n" }.joined()
            stock.server.serve(
                "/f/index.m3u8",
                Resource(
                    .text("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(lines)"),
                    etag: "\"\(numbers)\""))
            for number in numbers {
                stock.server.serve(
                    "/f/\(names[number]).ts",
                    Resource(.bytes(stream(number % 3 + version)), etag: nil, lastModified: nil))
            }
        }
        list(0..<2, 0)
        serveFilm(#""follow": 24"#)
        clock.steps = [{ list(1..<3, 0) }, { list(2..<4, isSame ? 0 : 10) }]
        #expect(try await sync() == (isSame ? .success : .failure), "\(warnings.withLock { $0 })")
        if isSame { #expect(try segments() == [0, 1, 2, 0].map { stream($0) }) } else { #expect(tells("again")) }
    }

    /// One playlist has all of it when a run is stopped, and its window moves on.
    @Test func whatIsCompleteIsNotFollowedAnyFurther() async throws {
        let master =
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES,URI=\"a/index.m3u8\"\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO=\"a\"\nv/index.m3u8\n"
        stock.server.serve("/f/index.m3u8", Resource(.text(master)))
        list(0..<4, of: "/f/a")
        list(0..<2, of: "/f/v")
        serveFilm(#""follow": 24"#)
        let control = RunControl()
        clock.steps = [{ control.stop(.terminated) }]
        #expect(try await sync(control) == .terminated)
        list(20..<24, of: "/f/a")
        list(1..<5, of: "/f/v")
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(stock.server.exchanges("/f/a/s20.ts").isEmpty)
    }

    /// A film that is shown as if it were live, and recorded, plays like the film.
    @Test func aRecordingPlaysAsTheFilmDoes() async throws {
        let folder = "\(mediaFolder)/a/hi"
        let film = String(decoding: try mediaFile("a/hi/index.m3u8"), as: UTF8.self).split(separator: "\n")
        let names = film.filter { !$0.hasPrefix("#") }.map(String.init)
        for name in names { stock.server.serve("/f/\(name)", Resource(.bytes(try mediaFile("a/hi/\(name)")))) }
        let durations = film.filter { $0.hasPrefix("#EXTINF") }.map(String.init)
        let show = { @Sendable (numbers: Range<Int>) in
            let lines = numbers.map { "\(durations[$0])\n\(names[$0])\n" }.joined()
            let end = numbers.upperBound == names.count ? "#EXT-X-ENDLIST\n" : ""
            stock.server.serve(
                "/f/index.m3u8",
                Resource(
                    .text(
                        "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(lines)\(end)"
                    ), etag: "\"\(numbers)\""))
        }
        try #require(names.count > 3)
        show(0..<2)
        serveFilm(#""follow": 10000"#)
        clock.steps = (1...(names.count - 2)).map { start in { show(start..<(start + 2)) } }
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        let played = try await frames("\(stock.library)/current/m/film/index.m3u8")
        #expect(try await frames("\(folder)/index.m3u8") == played)
    }

    private func frames(_ playlist: String) async throws -> String {
        let result = try await ChildProcess.run(
            "ffmpeg", ["-nostdin", "-v", "error", "-i", playlist, "-map", "0", "-c", "copy", "-f", "framemd5", "-"])
        try #require(result.status == .exited(0) && result.errorText.isEmpty, "\(result)")
        return result.outputText
    }

    /// Subtitles may begin long after the picture.
    @Test func aPlaylistThatIsStillEmptyKeepsNothingOfTheOthersBack() async throws {
        let master =
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES,URI=\"a/index.m3u8\"\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO=\"a\"\nv/index.m3u8\n"
        stock.server.serve("/f/index.m3u8", Resource(.text(master)))
        list(0..<0, of: "/f/a")
        list(0..<2, of: "/f/v")
        serveFilm(#""until": "\#(clock.time(after: 12))""#)
        clock.steps = [{ list(2..<4, of: "/f/v") }, { list(0..<2, of: "/f/a") }]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        let counts = (0..<4).map { stock.server.exchanges("/f/v/s\($0).ts").count { $0.status == 200 } }
        #expect(counts == [1, 1, 1, 1])
    }

    /// A connection that brings nothing, however long it is waited for: the others go on, and at the end it is given up.
    @Test func aSegmentThatHangsKeepsNothingElseBack() async throws {
        list(0..<3, duration: 1)
        let hang = { @Sendable in stock.server.script("/f/s1.ts", [.altered { $0.stalled(afterBytes: 0) }]) }
        hang()
        serveFilm(#""follow": 6, "gaps": true"#)
        clock.steps = [{ list(1..<4, duration: 1) }, { list(2..<5, duration: 1) }, { list(3..<6, duration: 1) }]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        let names = try playlist().filter { !$0.hasPrefix("#") && !$0.hasPrefix("media/gap") }
        #expect(try names.map { try stock.content("film/\($0)") } == [0, 2, 3, 4, 5].map { stream($0) })
        #expect(tells("didn't come in time"))
    }

    @Test func aReloadThatHangsIsGivenUpForTheNextOne() async throws {
        list(0..<3, duration: 1)
        serveFilm(#""follow": 5"#)
        clock.steps = [
            {
                list(1..<4, duration: 1)
                stock.server.script("/f/index.m3u8", [.altered { $0.stalled(afterBytes: 0) }])
            }, { list(2..<5, duration: 1) },
        ]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(try segments() == (0..<5).map { stream($0) })
        #expect(tells("asked for again"))
    }

    /// One bad segment is no reason to lose hours that are here and nowhere else.
    @Test func whatWouldNotPlayIsLostAloneAndNeverPublishedUnasked() async throws {
        list(0..<3)
        stock.server.serve("/f/s1.ts", Resource(.text("an error, and status 200")))
        serveFilm(#""follow": 24"#)
        clock.steps = [{ list(2..<4) }]
        #expect(try await sync() == .failure)
        #expect(tells("it is neither") && tells("\"gaps\""))
        // What was here then is gone from the server.
        list(20..<23)
        clock.steps = []
        serveFilm(#""follow": 24, "gaps": true"#, serial: 2)
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        let names = try playlist().filter { !$0.hasPrefix("#") && !$0.hasPrefix("media/gap") }
        #expect(try names.map { try stock.content("film/\($0)") } == [0, 2, 3].map { stream($0) })
        #expect(try stock.published("m/film/media").count == 3)
    }

    @Test func aRenditionThatStandsStillIsTold() async throws {
        let master =
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES,URI=\"a/index.m3u8\"\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO=\"a\"\nv/index.m3u8\n"
        stock.server.serve("/f/index.m3u8", Resource(.text(master)))
        list(0..<2, of: "/f/a")
        list(0..<2, of: "/f/v")
        serveFilm(#""until": "\#(clock.time(after: 12))""#)
        clock.steps = [{ list(2..<5, of: "/f/v") }]
        #expect(try await sync() == .success, "\(warnings.withLock { $0 })")
        #expect(tells("the shortest plays 12.0 s, and the longest 30.0 s"))
    }

    /// By the machine's own clock.
    @Test func aKilledRecordingIsGoneOnWith() async throws {
        list(0..<3, duration: 1)
        serveFilm(#""follow": 8"#)
        let run = try stock.startSync()
        try await waitUntil("the first segments") { sentCounts(0..<3) == [1, 1, 1] }
        list(2..<5, duration: 1)
        try await waitUntil("the next ones") { sentCounts(3..<5) == [1, 1] }
        // What was sent is in its place when the next answer is asked for.
        let reloads = stock.server.exchanges("/f/index.m3u8").count
        try await waitUntil("a reload") { stock.server.exchanges("/f/index.m3u8").count > reloads }
        run.kill(SIGKILL)
        _ = try await run.waitForExit()
        list(5..<9, duration: 1)
        let last = try await stock.sync()
        #expect(last.status == .exited(0), "\(last)")
        #expect(try segments() == (0..<8).map { stream($0) })
        #expect(sentCounts(0..<5) == [1, 1, 1, 1, 1])
    }
}

/// A clock whose time passes when somebody waits for it.
final class SteppedClock: Sendable {
    private struct State {
        var uptime: Duration = .zero
        var waits: [Double] = []
        var steps: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// What happens after each wait.
    var steps: [@Sendable () -> Void] {
        get { state.withLock { $0.steps } }
        set { state.withLock { $0.steps = newValue } }
    }

    /// The waits, in seconds.
    var waits: [Double] { state.withLock { $0.waits } }

    func time(after seconds: Int64) -> String { Timestamp(seconds: Self.start.seconds + seconds).rfc3339 }

    func pass(_ duration: Duration) { state.withLock { $0.uptime += duration } }

    var clock: RunClock {
        var clock = steppedClock
        (clock.answerTime, clock.lastWait) = (.milliseconds(500), .milliseconds(500))
        return clock
    }

    private var steppedClock: RunClock {
        RunClock(
            now: { [state] in
                Timestamp(seconds: Self.start.seconds + state.withLock { $0.uptime }.components.seconds)
            },
            uptime: { [state] in state.withLock { $0.uptime } },
            wait: { [state] duration, _ in
                let step = state.withLock { state in
                    state.uptime += duration
                    state.waits.append(duration.inSeconds)
                    return state.steps.isEmpty ? nil : state.steps.removeFirst()
                }
                step?()
            })
    }
}
