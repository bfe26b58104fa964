import Platform
import Playlists
import Testing

@Suite struct PlaylistChoiceTests {
    private static let presentation = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="lo",NAME="English",LANGUAGE="en",URI="lo-en"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hi",NAME="French",LANGUAGE="fr",URI="hi-fr"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hi",NAME="American",LANGUAGE="en-US",DEFAULT=YES,URI="hi-en"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hi",NAME="Middle English",LANGUAGE="enm",AUTOSELECT=YES,URI="hi-enm"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="s-en"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="German",LANGUAGE="de",DEFAULT=YES,URI="s-de"
        #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="CC",INSTREAM-ID="CC1"
        #EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=640x360,FRAME-RATE=25,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="lo"
        v1
        #EXT-X-STREAM-INF:BANDWIDTH=3000,RESOLUTION=1920x1080,FRAME-RATE=50,CODECS="hvc1.1,mp4a.40.2",AUDIO="hi",SUBTITLES="s",CLOSED-CAPTIONS="c"
        v3
        #EXT-X-STREAM-INF:BANDWIDTH=2000,RESOLUTION=1280x720,FRAME-RATE=25,CODECS="avc1.4d401e, mp4a.40.2",AUDIO="hi",CLOSED-CAPTIONS=NONE
        v2
        #EXT-X-STREAM-INF:BANDWIDTH=3000,RESOLUTION=1920x1080,FRAME-RATE=50,CODECS="hvc1.1,mp4a.40.2",AUDIO="hi",SUBTITLES="s",CLOSED-CAPTIONS="c"
        https://backup.example/v3
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=10,URI="i"
        """

    private static func master(_ text: String = presentation) throws -> MasterPlaylist {
        let outcome = PlaylistParser.parse(Array(text.utf8), .init(url: "https://example.com/"))
        return try #require(outcome.master)
    }

    private static func choose(_ change: (inout VariantSelection) -> Void = { _ in }) throws -> PlaylistChoice {
        var selection = VariantSelection()
        change(&selection)
        return try PlaylistChoice(from: try master(), by: selection)
    }

    @Test func defaultIsTheHighestVariantWithItsDefaultRenditions() throws {
        let choice = try Self.choose()
        #expect(choice.variants.map(\.variant.uri) == ["v3"])
        #expect(choice.renditions.map(\.name) == ["American", "German", "CC"])
    }

    @Test func redundantVariantIsAMirror() throws {
        #expect(try Self.choose().variants.first?.mirrors.map(\.uri) == ["https://backup.example/v3"])
    }

    @Test func pathwaysAreMirrors() throws {
        let outcome = try CorpusPlaylist.parse("public/globocom.m3u8/CONTENT_STEERING_PLAYLIST.m3u8")
        let choice = try PlaylistChoice(from: try #require(outcome.master), by: VariantSelection())
        #expect(choice.variants.map(\.variant.uri) == ["hi/video.m3u8"])
        #expect(
            choice.variants.first?.mirrors.map(\.uri)
                == ["https://backup.example.com/content/videos/video12/hi/video.m3u8"])
        #expect(choice.renditions.map(\.uri) == ["eng.m3u8"])
    }

    struct Wish: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout VariantSelection) -> Void
        let variant: String

        init(_ name: String, _ variant: String, _ change: @escaping @Sendable (inout VariantSelection) -> Void) {
            testDescription = name
            self.change = change
            self.variant = variant
        }
    }

    @Test(arguments: [
        Wish("maxBandwidth", "v2") { $0.maxBandwidth = 2999 },
        Wish("maxBandwidth, exactly", "v3") { $0.maxBandwidth = 3000 },
        Wish("a window of bandwidths", "v1") {
            $0.minBandwidth = 1000
            $0.maxBandwidth = 1500
        },
        Wish("resolution", "v2") { $0.largestPicture = PictureSize(width: 1280, height: 720) },
        Wish("resolution, too low", "v1") { $0.largestPicture = PictureSize(width: 1280, height: 719) },
        Wish("frameRate", "v2") { $0.highestFrameRate = 30 },
        Wish("codecs", "v2") { $0.codecs = ["avc1", "mp4a.40.2"] },
    ])
    func wishNarrowsTheChoice(_ wish: Wish) throws {
        #expect(try Self.choose(wish.change).variants.map(\.variant.uri) == [wish.variant])
    }

    @Test func codecIsNoMereBeginning() {
        #expect(throws: ChoiceProblem.self) { try Self.choose { $0.codecs = ["avc", "mp4a"] } }
    }

    @Test func languagesTakeTheirRegionsAndNoOthers() throws {
        let choice = try Self.choose {
            $0.audio = ["EN", "fr"]
            $0.subtitles = ["en"]
        }
        #expect(choice.renditions.map(\.uri) == ["hi-fr", "hi-en", "s-en", nil])
    }

    @Test func languageThatIsMissingIsNamed() {
        #expect(throws: ChoiceProblem.noSuchLanguage("it", .audio)) { try Self.choose { $0.audio = ["en", "it"] } }
        #expect(throws: ChoiceProblem.noSuchLanguage("it", .subtitles)) { try Self.choose { $0.subtitles = ["it"] } }
    }

    @Test func soundInTheSegmentsTellsNoLanguage() throws {
        let master = try Self.master("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n")
        var selection = VariantSelection()
        selection.audio = ["en"]
        #expect(try PlaylistChoice(from: master, by: selection).variants.count == 1)
    }

    @Test func everythingIsEverything() throws {
        let choice = try Self.choose { $0.takesAll = true }
        #expect(choice.variants.map(\.variant.uri) == ["v1", "v3", "v2"])
        #expect(choice.renditions.count == 7)
    }

    @Test func renditionsThatNoKeptVariantPlaysAreLeftOut() throws {
        let choice = try Self.choose { $0.maxBandwidth = 2000 }
        #expect(choice.variants.map(\.variant.uri) == ["v2"])
        #expect(choice.renditions.map(\.name) == ["American"])
    }

    @Test func nothingThatFitsIsAnError() throws {
        let problem = #expect(throws: ChoiceProblem.self) { try Self.choose { $0.maxBandwidth = 10 } }
        #expect(problem?.description.contains("\"v1\": its bandwidth is above maxBandwidth") == true)
    }
}
