import Playlists
import Testing

@Suite struct PlaylistWriterTests {
    private static let readable = CorpusPlaylist.all.filter { (try? CorpusPlaylist.parse($0.path))?.playlist != nil }

    @Test(arguments: readable)
    func whatIsWrittenReadsTheSame(_ expected: CorpusPlaylist) throws {
        let playlist = try #require(try CorpusPlaylist.parse(expected.path).playlist)
        let text = PlaylistWriter.text(of: playlist)
        let outcome = PlaylistParser.parse(Array(text.utf8), .init(url: "https://example.com/"))
        let reread = try #require(outcome.playlist, "\(outcome.diagnostics)")
        #expect(Self.content(reread) == Self.content(playlist))
        #expect(PlaylistWriter.text(of: reread) == text)
    }

    /// Without what isn't written on purpose.
    private static func content(_ playlist: Playlist) -> Playlist {
        switch playlist {
        case .master(var master):
            master.variables = [:]
            return .master(master)
        case .media(var media):
            media.version = nil
            media.targetDuration = media.coveringTargetDuration
            media.partCount = 0
            media.skippedSegmentCount = 0
            // A section that nothing uses has no place.
            if media.segments.isEmpty { media.maps = [] }
            return .media(media)
        }
    }

    @Test func textIsWhatPlayersKnow() throws {
        let text = """
            #EXTM3U
            #EXT-X-VERSION:8
            #EXT-X-INDEPENDENT-SEGMENTS
            #EXT-X-START:TIME-OFFSET=-1.5,PRECISE=YES
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:10
            #EXT-X-DISCONTINUITY-SEQUENCE:2
            #EXT-X-PLAYLIST-TYPE:EVENT
            #EXT-X-MAP:URI="i.mp4",BYTERANGE="720@0"
            #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x0000000000000000000000000000000a
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.example",KEYFORMATVERSIONS="1"
            #EXT-X-PROGRAM-DATE-TIME:2026-11-30T08:00:00Z
            #EXT-X-BITRATE:800
            #EXTINF:6,One, and only
            #EXT-X-BYTERANGE:10@720
            a.m4s
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://y",KEYFORMAT="com.example"
            #EXTINF:5.005,
            #EXT-X-BYTERANGE:10@730
            a.m4s
            #EXT-X-DISCONTINUITY
            #EXT-X-KEY:METHOD=NONE
            #EXT-X-GAP
            #EXTINF:0.5,
            b.m4s
            #EXT-X-ENDLIST

            """
        let outcome = PlaylistParser.parse(Array(text.utf8), .init(url: "https://example.com/"))
        #expect(outcome.diagnostics == [])
        #expect(PlaylistWriter.text(of: try #require(outcome.playlist)) == text)
    }

    @Test func versionIsRaisedToWhatIsWritten() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.5,\na\n"
        let playlist = try #require(PlaylistParser.parse(Array(text.utf8), .init(url: "https://example.com/")).playlist)
        #expect(PlaylistWriter.text(of: playlist).contains("#EXT-X-VERSION:3\n"))
    }
}
