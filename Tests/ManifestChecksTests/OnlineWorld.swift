import FaultServer
import TestSupport

/// The servers that the fixtures of the rules with `O` speak of. Their ports have five digits, as those have that stand in the fixtures.
final class OnlineWorld: Sendable {
    let main = try? FaultServer()
    let other: FaultServer
    private let closedPort: UInt16
    private let secure: NginxServer?
    private let directory: TemporaryDirectory

    /// - Parameter hasTLS: whether there is a server whose certificate nobody trusts.
    init(hasTLS: Bool) async throws {
        let closed = try FaultServer()
        closedPort = closed.port
        closed.stop()
        directory = try TemporaryDirectory()
        secure = hasTLS ? try await NginxServer(root: directory.path, isSecure: true) : nil
        other = try FaultServer()
        other.serve("/good.bin", Self.good)
        main.map(serve)
    }

    private static let good = Resource(.pattern(lengthBytes: 1000, seed: 1))

    private func serve(_ server: FaultServer) {
        let good = Self.good
        server.serve("/good.bin", good)
        server.serve("/second.bin", good)
        server.serve("/short.bin", Resource(.pattern(lengthBytes: 900, seed: 1)))
        server.serve("/busy.bin", always: .retryLater(after: "60"))
        server.serve("/garbage.bin", always: .garbage("SSH-2.0-OpenSSH_9.2\r\n"))
        if let never = try? Gate() { server.serve("/silent.bin", always: .status(200).headHeld(until: never)) }
        server.serve(
            "/differs.bin",
            good.altered { request, reply in request.method == "HEAD" ? reply.header("ETag", "\"v2\"") : reply })
        server.serve("/whole.bin", good.ranges(.ignored))
        server.serve(
            "/other-part.bin",
            good.altered { _, reply in
                reply.status == 206 ? reply.header("Content-Range", "bytes 1-1/1000") : reply
            })
        for (path, lines) in Self.playlists {
            server.serve(path, Resource(.bytes(Array((["#EXTM3U"] + lines).map { $0 + "\n" }.joined().utf8))))
        }
        server.serve("/cut.m3u8", Resource(.bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff])))
        server.serve("/page.bin", always: .errorPage(200))
        server.serve("/loop.bin", always: .redirect(to: "/loop.bin"))
        server.serve("/moved.bin", always: .redirect(to: "/good.bin"))
        server.serve("/elsewhere.bin", always: .redirect(to: other.url("/good.bin")))
        server.serve("/coded.bin", good.encoded(.gzip([1, 2, 3], isForced: true)))
        server.serve("/plain.bin", Resource(.pattern(lengthBytes: 1000, seed: 1), etag: nil, lastModified: nil))
        server.serve("/endless.bin", good.ranges(.ignored).altered { $1.untilClose() })
        server.serve(
            "/dated.bin",
            Resource(.pattern(lengthBytes: 1000, seed: 1), lastModified: "Fri, 02 Jan 2026 00:00:00 GMT"))
    }

    private static let playlists = [
        "/film.m3u8": ["#EXT-X-STREAM-INF:BANDWIDTH=1000", "part.m3u8"],
        "/lost.m3u8": ["#EXT-X-STREAM-INF:BANDWIDTH=1000", "gone.m3u8"],
        "/redundant.m3u8": [
            "#EXT-X-STREAM-INF:BANDWIDTH=1000", "gone.m3u8", "#EXT-X-STREAM-INF:BANDWIDTH=1000", "part.m3u8",
        ],
        "/part.m3u8": ["#EXT-X-TARGETDURATION:6", "#EXTINF:6,", "a.ts", "#EXT-X-ENDLIST"],
        "/live.m3u8": ["#EXT-X-TARGETDURATION:6", "#EXTINF:6,", "a.ts"],
        "/loose.m3u8": ["#EXT-X-TARGETDURATION:6", "#EXTINF:6", "a.ts", "#EXT-X-ENDLIST"],
        "/fairplay.m3u8": [
            "#EXT-X-TARGETDURATION:6",
            #"#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k",KEYFORMAT="com.apple.streamingkeydelivery""#, "#EXTINF:6,",
            "a.ts", "#EXT-X-ENDLIST",
        ],
    ]

    /// Which port of a fixture is which here.
    private var ports: [(String, UInt16)] {
        [
            ("11111", main?.port ?? 0), ("22222", other.port), ("33333", secure?.port ?? 0), ("44444", closedPort),
        ].map { ("127.0.0.1:\($0)", $1) }
    }

    func entering(_ fixture: String) -> String {
        ports.reduce(fixture) { $0.replacing($1.0, with: "127.0.0.1:\($1.1)") }
    }

    func leaving(_ text: String) -> String { ports.reduce(text) { $0.replacing("127.0.0.1:\($1.1)", with: $1.0) } }
}
