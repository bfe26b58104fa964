import TestSupport
import Testing

/// Presentations that ffmpeg made, copied from nginx by the program itself, and played with the network taken away.
@Suite struct PlayedPresentationTests {
    /// The server's keys have names that ffmpeg opens only when it is told to; copies need no option.
    private static let ofOriginals = ["-allowed_extensions", "ALL"]

    private func published(_ presentation: RealPresentation) async throws -> PublishedPresentation {
        let published = try await PublishedPresentation(presentation)
        let run = try await published.sync(presentation.entry)
        try #require(run.status == .exited(0), "\(run)")
        return published
    }

    @Test(arguments: RealPresentation.all)
    func everyMediaPlaylistPlaysAsItDoesFromItsServer(_ presentation: RealPresentation) async throws {
        let published = try await published(presentation)
        var pairs = [(published.nginx.url("/" + presentation.entry), published.copy + "/index.m3u8")]
        if presentation.playlistCount > 1 {
            let originals = PlaylistNames(try text(published.tree[presentation.entry])).playlists
            let copies = PlaylistNames(try text(published.copy + "/index.m3u8")).playlists
            #expect(originals.count == presentation.playlistCount && copies.count == presentation.playlistCount)
            pairs += zip(originals, copies).map { (published.nginx.url("/" + $0), "\(published.copy)/\($1)") }
        }
        for (original, copy) in pairs {
            let frames = try await MediaPlayer.frames(of: original, isOffline: false, Self.ofOriginals)
            #expect(try await MediaPlayer.frames(of: copy, isOffline: true) == frames, "\(original)")
            let counts = try await MediaPlayer.frameCounts(of: original, isOffline: false, Self.ofOriginals)
            #expect(try await MediaPlayer.frameCounts(of: copy, isOffline: true) == counts, "\(original)")
        }
    }

    /// A vector that is wrong spoils 16 bytes of each segment: so few that the frames may not show it.
    @Test func everyEncryptedSegmentDecryptsToTheClearOne() async throws {
        let published = try await published(.rotatingKeys)
        let segments = PlaylistNames(try text(published.copy + "/index.m3u8")).segments
        #expect(segments.map(\.number) == [7794, 7795, 7796, 7797])
        for segment in segments {
            let clear = try published.tree.read("clear/s\(segment.number).ts")
            let stored = "\(published.copy)/\(segment.uri)"
            guard let key = segment.key else {
                #expect(contentDifference(clear, try readFile(stored)) == nil, "\(segment.number)")
                continue
            }
            let decrypted = try await AESTool.run(
                .decrypting, stored, key: try readFile("\(published.copy)/\(key.uri)"),
                vector: key.vector ?? AESTool.vector(ofSegment: segment.number))
            #expect(contentDifference(clear, decrypted) == nil, "\(segment.number)")
        }
    }

    /// ffmpeg itself decodes by the first section alone.
    @Test func everySegmentHasItsOwnSection() async throws {
        let published = try await published(.twoSections)
        let segments = PlaylistNames(try text(published.copy + "/index.m3u8")).segments
        let folders = ["one", "one", "two", "two"]
        #expect(segments.count == folders.count)
        for (segment, folder) in zip(segments, folders) {
            let section = try #require(segment.section)
            #expect(try readFile("\(published.copy)/\(section)") == published.tree.read("\(folder)/init.mp4"))
        }
        let sections = Set(segments.map(\.section))
        #expect(sections.count == 2)
    }

    @Test func nothingIsAskedForTwice() async throws {
        let published = try await published(.shortSegments)
        let accesses = try await published.nginx.finish()
        #expect(accesses.count == 2001)
        #expect(Set(accesses.map(\.target)).count == 2001)
    }

    private func text(_ path: String) throws -> String { String(decoding: try readFile(path), as: UTF8.self) }
}
