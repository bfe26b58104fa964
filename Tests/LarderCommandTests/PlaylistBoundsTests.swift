import FaultServer
import Platform
import TestSupport
import Testing

/// Playlists and keys that go on and on would fill the disk before anybody looked at them: they are cut off.
@Suite struct PlaylistBoundsTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func serveEndless(_ path: String) {
        stock.server.serve(
            path,
            Resource(.pattern(lengthBytes: 512 << 20, seed: 1), etag: nil).altered { $1.chunked(chunkBytes: 1 << 20) })
    }

    private var partials: [FilePathBytes] {
        get throws { try directoryEntries(FilePathBytes("\(stock.library)/.larder/partial")) }
    }

    @Test func aPlaylistThatNeverEndsIsCutOff() async throws {
        serveEndless("/f/index.m3u8")
        stock.serveFilm("f/index.m3u8")
        let run = try await stock.sync()
        #expect(run.status == .exited(1) && run.errorText.contains("134217728"), "\(run)")
        #expect(stock.server.exchanges("/f/index.m3u8").allSatisfy { $0.bodyBytesSent < 256 << 20 })
        #expect(try partials.isEmpty)
    }

    @Test func aKeyThatNeverEndsIsCutOff() async throws {
        let list = "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k.key\"\n#EXTINF:6,\ns0.ts\n#EXT-X-ENDLIST\n"
        stock.serve("/f/index.m3u8", Array(list.utf8))
        stock.serve("/f/s0.ts", stream(0))
        serveEndless("/f/k.key")
        stock.serveFilm("f/index.m3u8", more: #""decrypt": true,"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(1) && run.errorText.contains("1048576"), "\(run)")
        #expect(stock.server.exchanges("/f/k.key").allSatisfy { $0.bodyBytesSent < 128 << 20 })
        #expect(try partials.isEmpty)
    }
}
