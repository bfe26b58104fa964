import Playlists
import Testing

/// Which playlists may stand in for another: those in which only URIs, and what players merely show, are different.
@Suite struct RedundantPlaylistTests {
    private static func source(_ lines: [String], folder: String) throws -> OfflinePlan.Source {
        let url = "https://\(folder).example/list.m3u8"
        let text = (["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines + ["#EXT-X-ENDLIST"]).joined(separator: "\n")
        let outcome = PlaylistParser.parse(Array(text.utf8), .init(url: url))
        return .init(
            playlist: try #require(outcome.media, "\(outcome.diagnostics)"), address: PlaylistAddress(url: url),
            url: url)
    }

    private static let (key1, key2) = (
        #"#EXT-X-KEY:METHOD=AES-128,URI="https://k.example/1",IV=0x1"#,
        #"#EXT-X-KEY:METHOD=AES-128,URI="https://k.example/2",IV=0x2"#
    )

    private static func segments(_ numbers: Int...) -> [String] { numbers.flatMap { ["#EXTINF:6,", "s\($0).ts"] } }

    private static let map = #"#EXT-X-MAP:URI="init.mp4""#

    @Test(
        arguments: [
            (segments(0, 1), segments(0, 1), true),
            (segments(0, 1), segments(0, 7), true),
            (segments(0, 1), segments(0), false),
            ([key1] + segments(0) + [key2] + segments(1, 2), [key1] + segments(0) + [key2] + segments(1, 2), true),
            // The same keys, and another of them for the second segment.
            ([key1] + segments(0) + [key2] + segments(1, 2), [key1] + segments(0, 1) + [key2] + segments(2), false),
            // The section is clear in one and encrypted in the other.
            ([map, key1] + segments(0), [key1, map] + segments(0), false),
            ([map, key1] + segments(0), [map, key1] + segments(0), true),
        ] as [([String], [String], Bool)])
    func segmentsAndSectionsMustBeTheSameButForTheirNames(
        ours: [String], theirs: [String], areAlike: Bool
    ) throws {
        var source = try Self.source(ours, folder: "a")
        #expect(try source.addMirror(Self.source(theirs, folder: "b")) == areAlike)
        let resources = try OfflinePlan(source).resources
        #expect(resources.filter { $0.role == .segment }.allSatisfy { $0.mirrors.count == (areAlike ? 1 : 0) })
    }
}
