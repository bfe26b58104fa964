import FaultServer
import TestSupport
import Testing

/// Bundles of the kind `hls`, and what of them is fetched.
@Suite struct PresentationTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    @Test func everySegmentIsCopiedOnceAndAnUnchangedPlaylistCostsOneQuestion() async throws {
        stock.serveSegments(0..<20)
        // One of them is played twice.
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<20).replacing("s19.ts", with: "s3.ts"))
        stock.serveFilm("f/index.m3u8")
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.filmSegments() == (0..<19).map { stream($0) } + [stream(3)])
        #expect(stock.requestCounts(0..<19) == Array(repeating: 1, count: 19))

        let again = try await stock.sync("--json")
        #expect(try again.finished.bundles("unchanged") == 1, "\(again)")
        #expect(stock.server.exchanges("/f/index.m3u8").map(\.status) == [200, 304])
        #expect(stock.requestCounts(0..<19) == Array(repeating: 1, count: 19))
    }

    @Test func ofAChangedPlaylistOnlyNewSegmentsAreFetched() async throws {
        stock.serveSegments(0..<15)
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<10))
        stock.serveFilm("f/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        stock.serve("/f/index.m3u8", text: mediaPlaylist(2..<15, tags: "#EXT-X-MEDIA-SEQUENCE:2\n"))
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.filmSegments() == (2..<15).map { stream($0) })
        #expect(stock.sentCounts(0..<15) == Array(repeating: 1, count: 15))
    }

    /// The same names in another encoding: what the servers say distinguishes them is asked for.
    @Test func segmentsThatChangedUnderTheirNamesAreFetchedAnew() async throws {
        stock.serveSegments(0..<4)
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<4))
        stock.serveFilm("f/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        stock.serve("/f/s1.ts", stream(77))
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<4, tags: "#EXT-X-PLAYLIST-TYPE:VOD\n"))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.filmSegments() == [stream(0), stream(77), stream(2), stream(3)])
        #expect(stock.sentCounts(0..<4) == [1, 2, 1, 1])
    }

    /// Where a server says nothing that distinguishes versions, nobody knows whether they are still the same.
    @Test func withoutValidatorsNothingIsMixed() async throws {
        func serve(version: Int) {
            for number in 0..<4 {
                stock.server.serve(
                    "/f/s\(number).ts", Resource(.bytes(stream(10 * version + number)), etag: nil, lastModified: nil))
            }
            let text = mediaPlaylist(0..<4).replacing("6.0", with: "\(version).0")
            stock.server.serve("/f/index.m3u8", Resource(.text(text), etag: nil, lastModified: nil))
        }
        serve(version: 1)
        stock.serveFilm("f/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        serve(version: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.filmSegments() == (0..<4).map { stream(20 + $0) })
    }

    @Test func anotherSelectionIsAnotherCopy() async throws {
        stock.serveSegments(0..<3)
        stock.serveSegments(0..<3, folder: "/f/low")
        stock.serve("/f/low/index.m3u8", text: mediaPlaylist(0..<3))
        stock.serve("/f/high.m3u8", text: mediaPlaylist(0..<3))
        stock.serve(
            "/f/index.m3u8",
            text:
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=900000\nhigh.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nlow/index.m3u8\n"
        )
        stock.serveFilm("f/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.requestCounts(0..<3) == [1, 1, 1])
        #expect(stock.server.exchanges("/f/low/s0.ts").isEmpty)
        stock.serveFilm("f/index.m3u8", more: #""select": {"maxBandwidth": 200000},"#)
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.server.exchanges("/f/low/s0.ts").count == 1)
        #expect(try await stock.sync("--json").finished.bundles("unchanged") == 1)
    }

    /// What the receipt calls it hides the query: by that name nobody is asked.
    @Test func aPlaylistWithAQueryIsOnlyAskedForByItsOwnURL() async throws {
        stock.serveSegments(0..<3)
        stock.serve("/f/high.m3u8", text: mediaPlaylist(0..<3))
        stock.serve("/f/index.m3u8", text: "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=900000\nhigh.m3u8?edition=2\n")
        stock.serveFilm("f/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        let again = try await stock.sync("--json")
        #expect(try again.finished.bundles("unchanged") == 1, "\(again)")
        let targets = Set(stock.server.exchanges("/f/high.m3u8").map(\.request.target))
        #expect(targets == ["/f/high.m3u8?edition=2"])
        #expect(stock.requestCounts(0..<3) == [1, 1, 1], "they are what they were, as their playlists are")
        stock.serve("/f/high.m3u8", text: mediaPlaylist(0..<2))
        #expect(try await stock.sync("--json").finished.bundles("published") == 1)
    }

    @Test func aVariantThatCannotBeReadIsReadFromItsMirror() async throws {
        stock.serveSegments(0..<3, folder: "/g")
        stock.serve("/g/v.m3u8", text: mediaPlaylist(0..<3))
        stock.serve(
            "/f/index.m3u8",
            text: "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=9\n../g/v.m3u8\n")
        stock.serveFilm("f/index.m3u8")
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(stock.server.exchanges("/g/s2.ts").count == 1)
    }

    @Test func urlsAreRelativeToWhereRedirectsLed() async throws {
        stock.serveSegments(0..<2)
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<2))
        stock.server.serve("/start.m3u8", always: .redirect(to: "/f/index.m3u8"))
        stock.serveFilm("start.m3u8")
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(stock.requestCounts(0..<2) == [1, 1])
    }

    @Test func headersAreForTheListedOriginsOnly() async throws {
        let other = try FaultServer()
        other.serve("/s1.ts", Resource(.bytes(stream(1))))
        stock.serveSegments(0..<1)
        stock.serve(
            "/f/index.m3u8",
            text: mediaPlaylist(0..<1).replacing(
                "#EXT-X-ENDLIST\n", with: "#EXTINF:6,\n\(other.url("/s1.ts"))\n#EXT-X-ENDLIST\n"))
        stock.serveFilm("f/index.m3u8", more: #""headers": {"X-Box": "7"},"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(stock.server.exchanges("/f/s0.ts").map { $0.request["X-Box"] } == ["7"])
        #expect(other.exchanges("/s1.ts").map { $0.request["X-Box"] } == [nil])
    }

    @Test func rangesOfOneFileAreFetchedAsOneAndTakenApart() async throws {
        let whole = stream(1) + stream(2) + stream(3)
        stock.serve("/f/all.ts", whole)
        let size = 18_800
        stock.serve(
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
        stock.serveFilm("f/index.m3u8")
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.filmSegments() == [stream(2), stream(3)])
        #expect(stock.server.exchanges("/f/all.ts").count == 1)
        #expect(try stock.published("m/film/ranges") == [])
    }

    @Test func anUnannouncedGzipIsReadWithAWarning() async throws {
        stock.serveSegments(0..<2)
        stock.serve("/f/index.m3u8", storedGzip(Array(mediaPlaylist(0..<2).utf8)))
        stock.serveFilm("f/index.m3u8")
        let run = try await stock.sync("--verbose")
        #expect(run.status == .exited(0), "\(run)")
        #expect(run.errorText.contains("compressed"))
    }
}
