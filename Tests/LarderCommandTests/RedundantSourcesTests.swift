import FaultServer
import Platform
import TestSupport
import Testing

/// Where else the segments of a presentation are had from.
@Suite struct RedundantSourcesTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    @Test func aSegmentThatIsMissingIsHadFromTheManifestsOtherMirror() async throws {
        let other = try FaultServer()
        let files =
            [("index.m3u8", Array("#EXTM3U\n#EXTINF:6,\ns0.ts\n#EXTINF:6,\ns1.ts\n#EXT-X-ENDLIST\n".utf8))]
            + (0..<2).map { ("s\($0).ts", stream($0)) }
        for (name, bytes) in files {
            stock.serve("/x/f/\(name)", bytes)
            other.serve("/y/f/\(name)", Resource(.bytes(bytes)))
        }
        stock.server.serve("/x/f/s1.ts", always: .errorPage(404))
        stock.serveFilm(
            "f/index.m3u8", mirrors: #""mirrors": ["\#(stock.server.url("/x/"))", "\#(other.url("/y/"))"],"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.filmSegments() == (0..<2).map { stream($0) })
        #expect(other.exchanges("/y/f/s0.ts").isEmpty && other.exchanges("/y/f/s1.ts").count == 1)
    }

    @Test(arguments: [true, false])
    func aSegmentThatIsMissingIsHadFromARedundantVariantThatIsAlike(isAlike: Bool) async throws {
        let list = "#EXTM3U\n#EXTINF:6,\ns0.ts\n#EXTINF:6,\ns1.ts\n#EXT-X-ENDLIST\n"
        stock.serve("/f/a/v.m3u8", Array(list.utf8))
        stock.serve(
            "/f/b/v.m3u8", Array((isAlike ? list : list.replacing("EXTINF:6,\ns0", with: "EXTINF:5,\ns0")).utf8))
        stock.serve(
            "/f/index.m3u8",
            Array(
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\na/v.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=9\nb/v.m3u8\n".utf8))
        for number in 0..<2 {
            stock.serve("/f/a/s\(number).ts", stream(number))
            stock.serve("/f/b/s\(number).ts", stream(number))
        }
        stock.server.serve("/f/a/s1.ts", always: .errorPage(404))
        stock.serveFilm("f/index.m3u8")
        let run = try await stock.sync()
        #expect(run.status == .exited(isAlike ? 0 : 1), "\(run)")
        #expect(stock.requests("/f/b/s1.ts").count == (isAlike ? 1 : 0) && stock.requests("/f/b/s0.ts").isEmpty)
    }

    /// A master playlist of variants that say the same of themselves.
    private func serveMaster(_ uris: [String]) {
        let variants = uris.map { "#EXT-X-STREAM-INF:BANDWIDTH=9\n\($0)\n" }.joined()
        stock.serve("/f/index.m3u8", Array("#EXTM3U\n\(variants)".utf8))
    }

    private let list = Array("#EXTM3U\n#EXTINF:6,\ns0.ts\n#EXTINF:6,\ns1.ts\n#EXT-X-ENDLIST\n".utf8)

    @Test func noMoreThanTwoRedundantVariantsAreReadAndADeadOneIsAskedOnce() async throws {
        for name in "abcdef" { stock.serve("/f/\(name)/v.m3u8", list) }
        stock.server.serve("/f/b/v.m3u8", always: .errorPage(503))
        for number in 0..<2 { stock.serve("/f/a/s\(number).ts", stream(number)) }
        serveMaster("abcdef".map { "\($0)/v.m3u8" })
        stock.serveFilm("f/index.m3u8")
        let arguments = [
            "sync", stock.manifestURL, "--library", stock.library, "--retries", "2", "--min-free", "0",
        ]
        let run = try await LarderProgram.run(arguments)
        #expect(run.status == .exited(0), "\(run)")
        #expect("abcdef".map { stock.server.exchanges("/f/\($0)/v.m3u8").count } == [1, 1, 1, 0, 0, 0])
    }

    /// The bundle's headers are for the manifest's own servers; another one is asked all the same, without them.
    @Test func aServerThatMayNotHaveTheHeadersIsAskedWithoutThem() async throws {
        let other = try FaultServer()
        stock.serve("/f/a/v.m3u8", list)
        other.serve("/b/v.m3u8", Resource(.bytes(list)))
        for number in 0..<2 {
            stock.serve("/f/a/s\(number).ts", stream(number))
            other.serve("/b/s\(number).ts", Resource(.bytes(stream(number))))
        }
        stock.server.serve("/f/a/s1.ts", always: .errorPage(404))
        serveMaster(["a/v.m3u8", other.url("/b/v.m3u8")])
        stock.serveFilm("f/index.m3u8", more: #""headers": {"X-Key": "secret"},"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        let variant = try #require(stock.filmText().split(separator: "\n").last)
        #expect(try stock.filmSegments("\(variant)") == (0..<2).map { stream($0) })
        #expect(stock.server.exchanges("/f/a/s0.ts").map { $0.request["X-Key"] } == ["secret"])
        #expect(other.exchanges("/b/s1.ts").map { $0.request["X-Key"] } == [nil])
    }
}
