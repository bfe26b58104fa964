import Playlists
import TestSupport
import Testing

/// A presentation that ffmpeg made, as if it stood on a server, and the copies that plans make of it.
struct OriginTree {
    private static let base = "https://origin.example/"

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func path(_ relative: String) -> String { directory[relative] }

    private func parse(_ relative: String) throws -> PlaylistParser.Outcome {
        PlaylistParser.parse(try readFile(path(relative)), .init(url: Self.base + relative))
    }

    private func source(_ relative: String) throws -> OfflinePlan.Source {
        let url = Self.base + relative
        let outcome = try parse(relative)
        return .init(
            playlist: try #require(outcome.media, "\(outcome.diagnostics)"), address: PlaylistAddress(url: url),
            url: url)
    }

    /// Plans a copy of a media playlist.
    func plan(media relative: String) throws -> OfflinePlan { try OfflinePlan(try source(relative)) }

    /// Plans a copy of what is chosen of a master playlist, and tells which playlist became which.
    func plan(master relative: String, _ selection: VariantSelection) throws -> (OfflinePlan, [String: String]) {
        let address = PlaylistAddress(url: Self.base + relative)
        let master = try #require(try parse(relative).master)
        let choice = try PlaylistChoice(from: master, by: selection)
        var sources: [String: OfflinePlan.Source] = [:]
        for uri in choice.playlistURIs {
            sources[uri] = try source(String(try address.resolve(uri).dropFirst(Self.base.count)))
        }
        let plan = try OfflinePlan(master, at: address, choice: choice, sources: sources)
        guard case .master(let copy) = plan.playlists[0].content else { throw NoMaster() }
        let copies = copy.variants.map(\.uri) + copy.renditions.compactMap(\.uri)
        return (plan, Dictionary(uniqueKeysWithValues: zip(choice.playlistURIs, copies)))
    }

    struct NoMaster: Error {}

    /// Does what a plan says, from the tree's own files.
    func copy(_ plan: OfflinePlan) throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory()
        for resource in plan.resources {
            let path = resource.url.dropFirst(Self.base.count).prefix { $0 != "?" }
            var bytes = try readFile(self.path(String(path)))
            if let range = resource.byteRange { bytes = Array(bytes[Int(range.offset)..<Int(range.end)]) }
            try copy.write(bytes, to: resource.path)
        }
        for playlist in plan.playlists {
            try copy.write(PlaylistWriter.text(of: playlist.content).utf8, to: playlist.path)
        }
        return copy
    }
}

/// Digests of all frames of all streams, by ffmpeg without options: what a player would get.
func frames(_ playlist: String) async throws -> String {
    try await MediaPlayer.frames(of: playlist, isOffline: false)
}

extension PlaylistChoice {
    /// The media playlists to read, by their URIs in the master playlist; some may be named twice.
    var playlistURIs: [String] { variants.map(\.variant.uri) + renditions.compactMap(\.uri) }
}
