import FaultServer
import Platform
import TestSupport
import Testing

/// Presentations of which nothing is published, or nothing told that isn't for everybody.
@Suite struct RefusedPresentationTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func expectRefusal(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)", sourceLocation: sourceLocation)
        #expect(run.problems.first?.contains(words) == true, "\(run)", sourceLocation: sourceLocation)
        #expect(try stock.published("m/film") == [], sourceLocation: sourceLocation)
    }

    @Test(
        arguments: [
            ("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n", "SAMPLE-AES"),
            ("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n", "FairPlay"),
            ("#EXT-X-KEY:METHOD=AES-128,URI=\"file:///etc/passwd\"\n", "file"),
            ("#EXT-X-MAP:URI=\"ftp://a.example/x\"\n", "ftp"),
        ])
    func whatCannotBePlayedIsRefusedBeforeTheFirstSegment(tag: String, words: String) async throws {
        stock.serveSegments(0..<2)
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<2, tags: tag))
        stock.serveFilm("f/index.m3u8")
        try await expectRefusal(words)
        #expect(stock.requestCounts(0..<2) == [0, 0])
    }

    @Test func aLivePlaylistIsRefused() async throws {
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<2, isLive: true))
        stock.serveFilm("f/index.m3u8")
        try await expectRefusal("live")
    }

    @Test func aMissingSegmentKeepsTheRest() async throws {
        stock.serveSegments(0..<10)
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<11))
        stock.serveFilm("f/index.m3u8")
        try await expectRefusal("404")
        stock.serveSegments(10..<11)
        #expect(try await stock.sync().status == .exited(0))
        // Beside the others there may be some that were under way when their neighbour failed.
        #expect(stock.sentCounts(0..<10).count { $0 == 1 } >= 5)
    }

    @Test(arguments: [
        Array(#"{"error": "no such film"}"#.utf8), Array("Gateway Timeout".utf8), [], Array(repeating: 0, count: 5000),
    ])
    func whatIsNoSegmentIsNotPublished(bytes: [UInt8]) async throws {
        stock.serveSegments(0..<2)
        stock.serve("/f/s1.ts", bytes)
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<2))
        stock.serveFilm("f/index.m3u8")
        try await expectRefusal("s1.ts")
        // What would not play isn't taken for right by the next run, even where no validator tells them apart.
        stock.server.serve("/f/s1.ts", Resource(.bytes(stream(1)), etag: nil, lastModified: nil))
        let next = try await stock.sync()
        #expect(next.status == .exited(0), "\(next)")
        #expect(try stock.filmSegments() == [stream(0), stream(1)])
    }

    @Test func whatOnlySomeAreGivenIsNotShown() async throws {
        for (name, body) in [
            ("index.m3u8", mediaPlaylist(0..<2)),
            (
                "other.m3u8",
                "#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k?sig=hunter2\"\n#EXTINF:6,\ns.ts?sig=hunter2\n#EXT-X-ENDLIST\n"
            ), ("live.m3u8", mediaPlaylist(0..<2, isLive: true)),
            ("bad.m3u8", "#EXTM3U\n#EXTINF:x,\ns0.ts?sig=hunter2\n"),
        ] {
            stock.serve("/f/\(name)", text: body.replacing(".ts\n", with: ".ts?sig=hunter2\n"))
            stock.serveFilm("f/\(name)?token=hunter2")
            let run = try await stock.sync("--json", "--verbose")
            #expect(run.status == .exited(1), "\(run)")
            #expect(!run.outputText.contains("hunter2") && !run.errorText.contains("hunter2"), "\(run)")
        }
    }

    @Test func anUnreachableMirrorOfYesterdayIsNoFailureToday() async throws {
        stock.serveSegments(0..<2, folder: "/g")
        stock.serveSegments(0..<2)
        stock.serve("/g/v.m3u8", text: mediaPlaylist(0..<2))
        stock.serve(
            "/f/index.m3u8",
            text: "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=9\n../g/v.m3u8\n")
        stock.serveFilm("f/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        stock.serve("/f/v.m3u8", text: mediaPlaylist(0..<2))
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
            stock.serve("/c/v/\(name)", bytes)
        }
        for name in try Directory.open(mediaFolder + "/c/keys").names().map(\.description) {
            let key = try mediaFile("c/keys/\(name)")
            stock.serve("/c/keys/\(name)", fault == "wrong key" ? key.reversed() : key)
        }
        stock.serve(
            "/c/v/index.m3u8",
            text: fault == "wrong vector"
                ? root.replacing("#EXT-X-MEDIA-SEQUENCE:7794", with: "#EXT-X-MEDIA-SEQUENCE:7795") : root)
        stock.serveFilm("c/v/index.m3u8")
        try await expectRefusal("decrypt")
    }
}
