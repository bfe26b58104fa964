import Diagnostics
import Playlists
import Testing

@Suite struct PublicCorpusTests {
    /// Refused on purpose, with the rule that says why.
    private static let refused: [String: PlaylistRule] = [
        // RFC 8216 §4.3.2.5: without an IV nobody knows what the section was encrypted with.
        "globocom.m3u8/MULTIPLE_MAP_URI_PLAYLIST.m3u8": .encryptedMapWithoutVector,
        "videojs.m3u8-parser/diff-init-key.m3u8": .encryptedMapWithoutVector,
        "globocom.m3u8/PLAYLIST_WITH_NEGATIVE_MEDIA_SEQUENCE.m3u8": .badValue,
        "globocom.m3u8/PLAYLIST_WITH_SESSION_ENCRYPTED_SEGMENTS.m3u8": .mixedKinds,
        "globocom.m3u8/PLAYLIST_WITH_SESSION_ENCRYPTED_SEGMENTS_AND_IV.m3u8": .mixedKinds,
        "globocom.m3u8/PLAYLIST_WITH_SESSION_ENCRYPTED_SEGMENTS_AND_IV_SORTED.m3u8": .mixedKinds,
        "globocom.m3u8/relative-playlist.m3u8": .mixedKinds,
        "globocom.m3u8/VARIANT_PLAYLIST_WITH_IFRAME_STABLE_VARIANT_ID.m3u8": .noHeader,
        "globocom.m3u8/VARIANT_PLAYLIST_WITH_STABLE_RENDITION_ID.m3u8": .noHeader,
        "globocom.m3u8/VARIANT_PLAYLIST_WITH_STABLE_VARIANT_ID.m3u8": .noHeader,
        "globocom.m3u8/WINDOWS_PLAYLIST.m3u8": .noHeader,
        "globocom.m3u8/VERSION_PLAYLIST.m3u8": .noContent,
        "videojs.m3u8-parser/empty.m3u8": .noHeader,
        "videojs.m3u8-parser/headerOnly.m3u8": .noContent,
        "videojs.m3u8-parser/manifestNoExtM3u.m3u8": .noHeader,
        "videojs.m3u8-parser/start.m3u8": .noHeader,
        // Its first range is "587500@", its third continues another resource.
        "videojs.m3u8-parser/llhls-byte-range.m3u8": .badValue,
    ]

    /// Figures in which Larder differs on purpose.
    private static let different: [String: (String, String)] = [
        // A target duration below zero is none.
        "videojs.m3u8-parser/manifestExtTTargetdurationNegative.m3u8": ("target=-10", "target=")
    ]

    /// What each finding of `EXPECTED.tsv` is called here; any of them will do.
    private static let rules: [String: Set<PlaylistRule>] = [
        "EXTINF-no-comma": [.missingComma], "EXTINF>TARGETDURATION": [.durationOverTarget],
        "STREAM-INF-no-BANDWIDTH": [.looseValue], "bad-PLAYLIST-TYPE": [.looseValue],
        "bad-TARGETDURATION": [.looseValue], "no-TARGETDURATION": [.noTargetDuration],
        "no-EXTM3U-first-line": [.noHeader, .lateHeader], "bad-MEDIA-SEQUENCE": [.badValue],
        "mixed-master-media": [.mixedKinds], "BYTERANGE-orphan": [.orphanRange],
        "group-missing:AUDIO": [.missingGroup], "group-missing:VIDEO": [.missingGroup],
        "group-missing:SUBTITLES": [.missingGroup], "group-missing:CLOSED-CAPTIONS": [.missingGroup],
        // Nothing else of a text is judged that is no playlist.
        "MEDIA-no-GROUP-ID": [.noHeader], "URI-without-EXTINF": [.noHeader],
        // Versions are not policed: the range itself is understood.
        "version<4-BYTERANGE": [.badValue],
    ]

    static let playlists = CorpusPlaylist.all.filter { $0.path.hasPrefix("public/") }

    @Test func corpusIsWhole() {
        #expect(Self.playlists.count == 143)
        #expect(CorpusPlaylist.all.count == 175)
    }

    @Test(arguments: playlists)
    func figuresMatchOrThePlaylistIsRefused(_ expected: CorpusPlaylist) throws {
        let name = String(expected.path.dropFirst("public/".count))
        let outcome = try CorpusPlaylist.parse(expected.path)
        if let rule = Self.refused[name] {
            #expect(outcome.playlist == nil)
            #expect(outcome.diagnostics.contains { $0.id == rule.id && $0.severity == .error })
        } else {
            let (theirs, ours) = Self.different[name] ?? ("", "")
            #expect(
                outcome.figures == (theirs.isEmpty ? expected.figures : expected.figures.replacing(theirs, with: ours)))
            #expect(!outcome.diagnostics.hasErrors)
        }
        for finding in expected.findings {
            let rules = try #require(Self.rules[finding], "no rule is known for \(finding)")
            #expect(rules.contains { outcome.finds($0) }, "\(finding) is not told")
        }
    }
}
