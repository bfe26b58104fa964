import FaultServer
import TestSupport
import Testing

/// What becomes of paused downloads that no run came back for.
@Suite struct StalePartialsTests {
    private let stock: Stock
    private let film = Content.pattern(lengthBytes: 100_000, seed: 1)
    private let days = 86_400

    init() throws {
        stock = try Stock()
        stock.serveManifest([stock.file("film", film), stock.file("small", .pattern(lengthBytes: 5000, seed: 2))])
    }

    /// A run, and after it paused downloads from 31 and from 29 days ago, and one that the manifest still asks for.
    private func pause() async throws {
        #expect(try await stock.sync("--only", "small").status == .exited(0))
        for (name, age) in [("stale", 31), ("young", 29), (film.sha256, 31)] {
            let path = "\(stock.library)/.larder/partial/\(name).part"
            try writeFile([UInt8](repeating: 7, count: 50_000), to: path)
            try setModified(path, secondsAgo: age * days)
        }
    }

    private func left() throws -> Set<String> { Set(try stock.partials()) }

    @Test func theyGoAfter30DaysUnlessTheManifestAsksForThem() async throws {
        try await pause()
        let run = try await stock.sync("--only", "small", "--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(try left() == ["young.part", "\(film.sha256).part"])
        let evicted = run.events.filter { $0.name == "partial.evicted" }
        #expect(evicted.count == 1 && evicted[0]["bytes"] ?? 0 >= 50_000, "\(run)")
    }

    /// Of what has no digest nobody knows whether a playlist still names it; after so long nobody comes back for it either.
    @Test func theyGoAlsoWhereAManifestHasPlaylists() async throws {
        stock.serve("/list.m3u8", Array("#EXTM3U\n#EXTINF:6,\ns0.ts\n#EXT-X-ENDLIST\n".utf8))
        stock.serveManifest([
            #"{"id": "radio", "kind": "hls", "urls": ["list.m3u8"]}"#,
            stock.file("small", .pattern(lengthBytes: 5000, seed: 2)),
        ])
        #expect(try await stock.sync("--only", "small").status == .exited(0))
        for (name, age) in [("stale", 31), ("young", 29)] {
            let path = "\(stock.library)/.larder/partial/\(name).part"
            let record = """
                {"format": "larder-resume/1", "url": "http://a.example/x", "finalURL": "http://a.example/x",
                 "entityTag": "\\"1\\"", "ranges": [[0, 1]], "flushedBytes": 1, "boot": ""}
                """
            try writeFile(Array(record.utf8), to: path + ".resume")
            try writeFile([7], to: path)
            try setModified(path, secondsAgo: age * days)
        }
        let run = try await stock.sync("--only", "small", "--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(try left() == ["young.part", "young.part.resume"])
    }

    @Test func theyStayWhereAManifestCouldNotBeRead() async throws {
        try await pause()
        let run = try await stock.sync(
            "--only", "small", manifests: [stock.manifestURL, stock.server.url("/gone.json")])
        #expect(run.status == .exited(66), "\(run)")
        #expect(try left().contains("stale.part"))
    }

    @Test func theRunSaysSoWithDetails() async throws {
        try await pause()
        let run = try await stock.sync("--only", "small", "-v")
        #expect(run.problems.filter { $0.contains("paused download removed") }.count == 1, "\(run)")
    }
}
