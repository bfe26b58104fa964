import FaultServer
import Jobs
import TestSupport
import Testing
import Transfer

/// The playlists of presentations are read as `sync` reads them.
@Suite struct PresentationCheckTests {
    private func told(_ url: String, select: String = "{}", more: String = "") async throws -> [Told] {
        let world = try await OnlineWorld(hasTLS: false)
        let main = try #require(world.main)
        let bundle = #"{"id": "film", "kind": "hls", "urls": ["\#(url)"], "select": \#(select)\#(more)}"#
        return try await askedOnline(manifestText(bundle), base: main.url("/")).told
    }

    @Test(arguments: [
        ("film.m3u8", []), ("part.m3u8", []), ("live.m3u8", ["O021"]), ("fairplay.m3u8", ["O021"]),
        ("lost.m3u8", ["O022"]), ("redundant.m3u8", []), ("cut.m3u8", ["O022"]), ("loose.m3u8", ["M022"]),
        ("good.bin", ["M001"]),
        // The page that comes instead is told of; what it would say as a playlist isn't.
        ("page.bin", ["O012"]),
    ])
    func whatSyncWouldRefuseIsTold(_ url: String, _ ids: [String]) async throws {
        #expect(try await told(url) == ids.map { Told($0, "\"\(url)\"") })
    }

    @Test func aLivePresentationMayBeRecorded() async throws {
        #expect(try await told("live.m3u8", more: #", "follow": 60"#) == [])
    }

    @Test func aSelectionThatLeavesNothingIsTold() async throws {
        #expect(try await told("film.m3u8", select: #"{"maxBandwidth": 10}"#).map(\.id) == ["O021"])
    }

    @Test func onceItIsOverNoPlaylistIsAskedFor() async throws {
        let world = try await OnlineWorld(hasTLS: false)
        let main = try #require(world.main)
        let control = RunControl()
        main.serve(
            "/last.m3u8",
            Resource(.bytes(Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n".utf8))).altered {
                request, reply in
                if request.method == "GET" { control.stop(.interrupted) }
                return reply
            })
        let films = ["film.m3u8", "part.m3u8", "last.m3u8"].enumerated().map { index, url in
            #"{"id": "f\#(index)", "kind": "hls", "urls": ["\#(url)"]}"#
        }
        let text = manifestText(films.joined(separator: ",\n"))
        let checked = try await askedOnline(text, base: main.url("/"), control: control) { $0.sourcesAtOnce = 1 }
        #expect(Set(checked.told.map(\.id)) == ["O020"])
        #expect(
            !main.log.contains { $0.request.path == "/part.m3u8" && $0.request.number > 2 },
            "only its first byte was asked for")
    }

    @Test func noMorePlaylistsAreReadThanTheLimitsAllow() async throws {
        let world = try await OnlineWorld(hasTLS: false)
        let main = try #require(world.main)
        let text = manifestText(#"{"id": "film", "kind": "hls", "urls": ["film.m3u8"]}"#)
        let few = try await askedOnline(text, base: main.url("/")) { $0.playlists = 0 }
        #expect(few.told.map(\.id) == ["O020"])
        let short = try await askedOnline(text, base: main.url("/")) { $0.segments = 0 }
        #expect(short.told.map(\.id) == ["O020"])
        let small = try await askedOnline(text, base: main.url("/")) { $0.playlistBytes = 16 }
        #expect(small.told.map(\.id) == ["O022"])
        #expect(main.log.allSatisfy { !$0.request.target.contains(".ts") }, "only playlists are read")
    }
}
