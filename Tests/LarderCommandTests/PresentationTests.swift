import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// Bundles of the kind `hls`, against a server that misbehaves as it is told.
@Suite struct PresentationTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    /// A transport stream of so many packets.
    private func stream(_ number: Int, packets: Int = 100) -> [UInt8] {
        (0..<packets).flatMap { packet in
            [0x47] + (1..<188).map { UInt8(truncatingIfNeeded: number &* 7 &+ packet &+ $0) }
        }
    }

    private func playlist(_ segments: Range<Int>, tags: String = "", isLive: Bool = false) -> String {
        let lines = segments.map { "#EXTINF:6.0,\ns\($0).ts\n" }.joined()
        return "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n\(tags)\(lines)"
            + (isLive ? "" : "#EXT-X-ENDLIST\n")
    }

    private func serve(_ path: String, text: String) { serve(path, Array(text.utf8)) }

    private func serve(_ path: String, _ bytes: [UInt8]) {
        stock.server.serve(path, Resource(.bytes(bytes), etag: "\"\(SHA256.digest(of: bytes))\""))
    }

    private func serveSegments(_ numbers: Range<Int>, folder: String = "/f") {
        for number in numbers { serve("\(folder)/s\(number).ts", stream(number)) }
    }

    private func serveFilm(url: String = "f/index.m3u8", more: String = "") {
        stock.serveManifest([#"{"id": "film", "kind": "hls", \#(more) "urls": ["\#(url)"]}"#])
    }

    private func requestCounts(_ numbers: Range<Int>) -> [Int] {
        numbers.map { stock.server.exchanges("/f/s\($0).ts").count }
    }

    /// How often each body was sent.
    private func sentCounts(_ numbers: Range<Int>) -> [Int] {
        numbers.map { number in stock.server.exchanges("/f/s\(number).ts").count { $0.status == 200 } }
    }

    private func published() throws -> [String] { try stock.published("m/film") }

    /// The segments that the copy names, one behind the other.
    private func segments(_ name: String = "index.m3u8") throws -> [[UInt8]] {
        let text = String(decoding: try stock.content("film/\(name)"), as: UTF8.self)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try stock.content("film/\($0)") }
    }

    @Test func everySegmentIsCopiedOnceAndAnUnchangedPlaylistCostsOneQuestion() async throws {
        serveSegments(0..<20)
        // One of them is played twice.
        serve("/f/index.m3u8", text: playlist(0..<20).replacing("s19.ts", with: "s3.ts"))
        serveFilm()
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try segments() == (0..<19).map { stream($0) } + [stream(3)])
        #expect(requestCounts(0..<19) == Array(repeating: 1, count: 19))

        let again = try await stock.sync("--json")
        #expect(try again.finished.bundles("unchanged") == 1, "\(again)")
        #expect(stock.server.exchanges("/f/index.m3u8").map(\.status) == [200, 304])
        #expect(requestCounts(0..<19) == Array(repeating: 1, count: 19))
    }

    /// What would fill the disk before anybody looked at it.
    @Test func aPlaylistThatNeverEndsIsCutOff() async throws {
        stock.server.serve(
            "/f/index.m3u8",
            Resource(.pattern(lengthBytes: 512 << 20, seed: 1), etag: nil).altered { $1.chunked(chunkBytes: 1 << 20) })
        serveFilm()
        let run = try await stock.sync()
        #expect(run.status == .exited(1) && run.errorText.contains("134217728"), "\(run)")
        #expect(stock.server.exchanges("/f/index.m3u8").allSatisfy { $0.bodyBytesSent < 256 << 20 })
        #expect(try directoryEntries(FilePathBytes("\(stock.library)/.larder/partial")).isEmpty)
    }

    @Test func ofManyRedundantVariantsOnlyAFewAreRead() async throws {
        let variants = (0..<20).map { "#EXT-X-STREAM-INF:BANDWIDTH=9\nv\($0).m3u8\n" }.joined()
        serve("/f/index.m3u8", text: "#EXTM3U\n" + variants)
        for number in 0..<20 { serve("/f/v\(number).m3u8", text: playlist(0..<2)) }
        serveSegments(0..<2)
        serveFilm()
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect((0..<20).map { stock.server.exchanges("/f/v\($0).m3u8").count }.reduce(0, +) == 4)
    }

    @Test func ofAChangedPlaylistOnlyNewSegmentsAreFetched() async throws {
        serveSegments(0..<15)
        serve("/f/index.m3u8", text: playlist(0..<10))
        serveFilm()
        #expect(try await stock.sync().status == .exited(0))
        serve("/f/index.m3u8", text: playlist(2..<15, tags: "#EXT-X-MEDIA-SEQUENCE:2\n"))
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try segments() == (2..<15).map { stream($0) })
        #expect(sentCounts(0..<15) == Array(repeating: 1, count: 15))
    }

    /// The same names in another encoding: what the servers say distinguishes them is asked for.
    @Test func segmentsThatChangedUnderTheirNamesAreFetchedAnew() async throws {
        serveSegments(0..<4)
        serve("/f/index.m3u8", text: playlist(0..<4))
        serveFilm()
        #expect(try await stock.sync().status == .exited(0))
        serve("/f/s1.ts", stream(77))
        serve("/f/index.m3u8", text: playlist(0..<4, tags: "#EXT-X-PLAYLIST-TYPE:VOD\n"))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try segments() == [stream(0), stream(77), stream(2), stream(3)])
        #expect(sentCounts(0..<4) == [1, 2, 1, 1])
    }

    /// Where a server says nothing that distinguishes versions, nobody knows whether they are still the same.
    @Test func withoutValidatorsNothingIsMixed() async throws {
        func serve(version: Int) {
            for number in 0..<4 {
                stock.server.serve(
                    "/f/s\(number).ts", Resource(.bytes(stream(10 * version + number)), etag: nil, lastModified: nil))
            }
            let text = playlist(0..<4).replacing("6.0", with: "\(version).0")
            stock.server.serve("/f/index.m3u8", Resource(.text(text), etag: nil, lastModified: nil))
        }
        serve(version: 1)
        serveFilm()
        #expect(try await stock.sync().status == .exited(0))
        serve(version: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try segments() == (0..<4).map { stream(20 + $0) })
    }

    @Test func anotherSelectionIsAnotherCopy() async throws {
        serveSegments(0..<3)
        serveSegments(0..<3, folder: "/f/low")
        serve("/f/low/index.m3u8", text: playlist(0..<3))
        serve("/f/high.m3u8", text: playlist(0..<3))
        serve(
            "/f/index.m3u8",
            text:
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=900000\nhigh.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nlow/index.m3u8\n"
        )
        serveFilm()
        #expect(try await stock.sync().status == .exited(0))
        #expect(requestCounts(0..<3) == [1, 1, 1])
        #expect(stock.server.exchanges("/f/low/s0.ts").isEmpty)
        serveFilm(more: #""select": {"maxBandwidth": 200000},"#)
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.server.exchanges("/f/low/s0.ts").count == 1)
        #expect(try await stock.sync("--json").finished.bundles("unchanged") == 1)
    }

    @Test func aVariantThatCannotBeReadIsReadFromItsMirror() async throws {
        serveSegments(0..<3, folder: "/g")
        serve("/g/v.m3u8", text: playlist(0..<3))
        serve(
            "/f/index.m3u8",
            text: "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=9\n../g/v.m3u8\n")
        serveFilm()
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(stock.server.exchanges("/g/s2.ts").count == 1)
    }

    @Test func urlsAreRelativeToWhereRedirectsLed() async throws {
        serveSegments(0..<2)
        serve("/f/index.m3u8", text: playlist(0..<2))
        stock.server.serve("/start.m3u8", always: .redirect(to: "/f/index.m3u8"))
        serveFilm(url: "start.m3u8")
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(requestCounts(0..<2) == [1, 1])
    }

    @Test func headersAreForTheListedOriginsOnly() async throws {
        let other = try FaultServer()
        other.serve("/s1.ts", Resource(.bytes(stream(1))))
        serveSegments(0..<1)
        serve(
            "/f/index.m3u8",
            text: playlist(0..<1).replacing(
                "#EXT-X-ENDLIST\n", with: "#EXTINF:6,\n\(other.url("/s1.ts"))\n#EXT-X-ENDLIST\n"))
        serveFilm(more: #""headers": {"X-Box": "7"},"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(stock.server.exchanges("/f/s0.ts").map { $0.request["X-Box"] } == ["7"])
        #expect(other.exchanges("/s1.ts").map { $0.request["X-Box"] } == [nil])
    }

    @Test func rangesOfOneFileAreFetchedAsOneAndTakenApart() async throws {
        let whole = stream(1) + stream(2) + stream(3)
        serve("/f/all.ts", whole)
        let size = 18_800
        serve(
            "/f/index.m3u8",
            text: """
                #EXTM3U
                #EXT-X-VERSION:4
                #EXT-X-TARGETDURATION:6
                #EXTINF:6,
                #EXT-X-BYTERANGE:\(size)@\(size)
                all.ts
                #EXTINF:6,
                #EXT-X-BYTERANGE:\(size)
                all.ts
                #EXT-X-ENDLIST

                """)
        serveFilm()
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try segments() == [stream(2), stream(3)])
        #expect(stock.server.exchanges("/f/all.ts").count == 1)
        #expect(try stock.published("m/film/ranges") == [])
    }

    @Test func anUnannouncedGzipIsReadWithAWarning() async throws {
        serveSegments(0..<2)
        serve("/f/index.m3u8", storedGzip(Array(playlist(0..<2).utf8)))
        serveFilm()
        let run = try await stock.sync("--verbose")
        #expect(run.status == .exited(0), "\(run)")
        #expect(run.errorText.contains("compressed"))
    }

    // MARK: What isn't published

    private func expectRefusal(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)", sourceLocation: sourceLocation)
        #expect(run.problems.first?.contains(words) == true, "\(run)", sourceLocation: sourceLocation)
        #expect(try published() == [], sourceLocation: sourceLocation)
    }

    @Test(
        arguments: [
            ("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n", "SAMPLE-AES"),
            ("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n", "FairPlay"),
            ("#EXT-X-KEY:METHOD=AES-128,URI=\"file:///etc/passwd\"\n", "file"),
            ("#EXT-X-MAP:URI=\"ftp://a.example/x\"\n", "ftp"),
        ])
    func whatCannotBePlayedIsRefusedBeforeTheFirstSegment(tag: String, words: String) async throws {
        serveSegments(0..<2)
        serve("/f/index.m3u8", text: playlist(0..<2, tags: tag))
        serveFilm()
        try await expectRefusal(words)
        #expect(requestCounts(0..<2) == [0, 0])
    }

    @Test func aLivePlaylistIsRefused() async throws {
        serve("/f/index.m3u8", text: playlist(0..<2, isLive: true))
        serveFilm()
        try await expectRefusal("live")
    }

    @Test func aMissingSegmentKeepsTheRest() async throws {
        serveSegments(0..<10)
        serve("/f/index.m3u8", text: playlist(0..<11))
        serveFilm()
        try await expectRefusal("404")
        serveSegments(10..<11)
        #expect(try await stock.sync().status == .exited(0))
        // Beside the others there may be some that were under way when their neighbour failed.
        #expect(sentCounts(0..<10).count { $0 == 1 } >= 5)
    }

    @Test(arguments: [
        Array(#"{"error": "no such film"}"#.utf8), Array("Gateway Timeout".utf8), [], Array(repeating: 0, count: 5000),
    ])
    func whatIsNoSegmentIsNotPublished(bytes: [UInt8]) async throws {
        serveSegments(0..<2)
        serve("/f/s1.ts", bytes)
        serve("/f/index.m3u8", text: playlist(0..<2))
        serveFilm()
        try await expectRefusal("s1.ts")
        // What would not play isn't taken for right by the next run, even where no validator tells them apart.
        stock.server.serve("/f/s1.ts", Resource(.bytes(stream(1)), etag: nil, lastModified: nil))
        let next = try await stock.sync()
        #expect(next.status == .exited(0), "\(next)")
        #expect(try segments() == [stream(0), stream(1)])
    }

    @Test func whatOnlySomeAreGivenIsNotShown() async throws {
        for (name, body) in [
            ("index.m3u8", playlist(0..<2)),
            (
                "other.m3u8",
                "#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k?sig=hunter2\"\n#EXTINF:6,\ns.ts?sig=hunter2\n#EXT-X-ENDLIST\n"
            ), ("live.m3u8", playlist(0..<2, isLive: true)), ("bad.m3u8", "#EXTM3U\n#EXTINF:x,\ns0.ts?sig=hunter2\n"),
        ] {
            serve("/f/\(name)", text: body.replacing(".ts\n", with: ".ts?sig=hunter2\n"))
            serveFilm(url: "f/\(name)?token=hunter2")
            let run = try await stock.sync("--json", "--verbose")
            #expect(run.status == .exited(1), "\(run)")
            #expect(!run.outputText.contains("hunter2") && !run.errorText.contains("hunter2"), "\(run)")
        }
    }

    @Test func anUnreachableMirrorOfYesterdayIsNoFailureToday() async throws {
        serveSegments(0..<2, folder: "/g")
        serveSegments(0..<2)
        serve("/g/v.m3u8", text: playlist(0..<2))
        serve(
            "/f/index.m3u8",
            text: "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=9\n../g/v.m3u8\n")
        serveFilm()
        #expect(try await stock.sync().status == .exited(0))
        serve("/f/v.m3u8", text: playlist(0..<2))
        stock.server.serve("/g/v.m3u8", always: .errorPage(404))
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
    }

    @Test(arguments: ["cut", "wrong key", "wrong vector"])
    func whatDoesNotDecryptIsNotPublished(fault: String) async throws {
        let root = String(decoding: try mediaFile("c/v/index.m3u8"), as: UTF8.self)
        for name in try Directory.open(mediaFolder + "/c/v").names().map(\.description)
        where name.hasSuffix(".ts") {
            var bytes = try mediaFile("c/v/\(name)")
            if fault == "cut", root.contains(name) { bytes.removeLast(16) }
            serve("/c/v/\(name)", bytes)
        }
        for name in try Directory.open(mediaFolder + "/c/keys").names().map(\.description) {
            let key = try mediaFile("c/keys/\(name)")
            serve("/c/keys/\(name)", fault == "wrong key" ? key.reversed() : key)
        }
        serve(
            "/c/v/index.m3u8",
            text: fault == "wrong vector"
                ? root.replacing("#EXT-X-MEDIA-SEQUENCE:7794", with: "#EXT-X-MEDIA-SEQUENCE:7795") : root)
        serveFilm(url: "c/v/index.m3u8")
        try await expectRefusal("decrypt")
    }

    // MARK: Cut short

    /// As when a run is killed between the store and the publication.
    @Test func whatIsInTheStoreAndNotPublishedIsFoundThere() async throws {
        serveSegments(0..<5)
        serve("/f/index.m3u8", text: playlist(0..<5))
        serveFilm()
        #expect(try await stock.sync().status == .exited(0))
        #expect(unlink(stock.library + "/current") == 0)
        try Directory.open(stock.library).removeTree("generations/000001")
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(sentCounts(0..<5) == [1, 1, 1, 1, 1])
        #expect(try segments() == (0..<5).map { stream($0) })
    }

    @Test func equalSegmentsOfDifferentNamesAreAllTakenOver() async throws {
        for number in 0..<4 { serve("/f/s\(number).ts", stream(7)) }
        stock.server.script("/f/s3.ts", [.reply(.errorPage(404))])
        serve("/f/index.m3u8", text: playlist(0..<4))
        serveFilm()
        #expect(try await stock.sync("--jobs", "1").status == .exited(1))
        #expect(try await stock.sync("--jobs", "1").status == .exited(0))
        #expect(sentCounts(0..<4) == [1, 1, 1, 1])
    }

    @Test func killsAtAnyMomentCostNoMoreThanWhatWasUnderWay() async throws {
        let count = 300
        serveSegments(0..<count)
        serve("/f/index.m3u8", text: playlist(0..<count))
        serveFilm()
        var generator = Seed.generator(for: "killed presentation")
        let kills = (1...5).map { $0 * count / 7 + Int.random(in: 0..<20, using: &generator) }
        for moment in kills {
            let run = try stock.startSync("--jobs", "4")
            try await waitUntil("segment \(moment)") {
                requestCounts(0..<count).count { $0 > 0 } >= moment
            }
            run.kill(SIGKILL)
            _ = try await run.waitForExit()
        }
        let last = try await stock.sync("--json")
        #expect(last.status == .exited(0), "\(last)")
        #expect(try segments() == (0..<count).map { stream($0) })
        // Four transfers, and as many that were whole and not yet in their places.
        let twice = sentCounts(0..<count).reduce(0) { $0 + $1 - 1 }
        #expect(twice <= kills.count * 8, "\(twice) requests more than segments")
    }
}
