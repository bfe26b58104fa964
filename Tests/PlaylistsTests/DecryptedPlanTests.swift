import Playlists
import Testing

/// Plans of copies that are stored in the clear.
@Suite struct DecryptedPlanTests {
    private func plan(_ lines: String...) throws -> OfflinePlan {
        let url = "https://cdn.example/film/list.m3u8"
        let text =
            (["#EXTM3U", "#EXT-X-TARGETDURATION:6", "#EXT-X-MEDIA-SEQUENCE:9"] + lines + ["#EXT-X-ENDLIST", ""])
        let outcome = PlaylistParser.parse(Array(text.joined(separator: "\n").utf8), .init(url: url))
        guard case .media(let media)? = outcome.playlist else { throw Unreadable() }
        var options = OfflinePlan.Options()
        options.decrypts = true
        return try OfflinePlan(
            .init(playlist: media, address: PlaylistAddress(url: url), url: url), options)
    }

    private struct Unreadable: Error {}

    private func copy(_ plan: OfflinePlan) -> MediaPlaylist? {
        guard case .media(let playlist)? = plan.playlists.first?.content else { return nil }
        return playlist
    }

    private let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"k.key\""

    /// The same bytes under another number decrypt to something else.
    @Test func whatDecryptsToSomethingElseIsAnotherFile() throws {
        let plan = try plan(key, "#EXTINF:6,", "a.ts", "#EXTINF:6,", "a.ts")
        #expect(plan.resources.map(\.encryption?.vector) == [.init(sequenceNumber: 9), .init(sequenceNumber: 10)])
        #expect(Set(plan.resources.map(\.path)).count == 2)
        // With one vector they are one.
        let told = try self.plan(key + ",IV=0x1", "#EXTINF:6,", "a.ts", "#EXTINF:6,", "a.ts")
        #expect(told.resources.count == 1)
    }

    @Test func keysAreNeitherStoredNorNamed() throws {
        let plan = try plan(
            key + ",IV=0x2", "#EXT-X-MAP:URI=\"i.mp4\"", "#EXTINF:6,", "a.m4s", "#EXT-X-KEY:METHOD=NONE", "#EXTINF:6,",
            "b.m4s")
        #expect(plan.resources.map(\.role) == [.initializationSection, .segment, .segment])
        #expect(
            plan.resources.map { $0.encryption?.keyURL } == [
                "https://cdn.example/film/k.key", "https://cdn.example/film/k.key", nil,
            ])
        let playlist = try #require(copy(plan))
        #expect(playlist.keySets.isEmpty && playlist.segments.allSatisfy { $0.keySet == nil })
        #expect(playlist.maps.map(\.keySet) == [nil])
    }

    /// What isn't encrypted has the name that it has in any copy.
    @Test func whatIsClearHasTheSameNameInBothForms() throws {
        let clear = try plan("#EXTINF:1,", "a.ts")
        #expect(clear.resources.first?.path == "media/a-d3e45fd7234f8174b1362de83171f1a9.ts")
    }
}
