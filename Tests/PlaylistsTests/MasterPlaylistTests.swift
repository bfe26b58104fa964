import Diagnostics
import Platform
import Playlists
import Testing

@Suite struct MasterPlaylistTests {
    private static func parse(_ lines: String...) -> PlaylistParser.Outcome {
        let text = (["#EXTM3U"] + lines).joined(separator: "\n")
        return PlaylistParser.parse(Array(text.utf8), .init(url: "https://example.com/master.m3u8?u=me"))
    }

    @Test func variantTellsWhatItIs() throws {
        let outcome = Self.parse(
            "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-START:TIME-OFFSET=-2.5,PRECISE=YES",
            "#EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS=\"avc1.4d401e, mp4a.40.2\",RESOLUTION=1280x720,FRAME-RATE=29.970,NEW=\"x\"",
            "v.m3u8")
        #expect(outcome.diagnostics == [])
        let master = try #require(outcome.master)
        let variant = try #require(master.variants.first)
        #expect(variant.bandwidth == 1_280_000)
        #expect(variant.codecs == ["avc1.4d401e", "mp4a.40.2"])
        #expect(variant.pictureSize == PictureSize(width: 1280, height: 720))
        #expect(variant.frameRate == 29.97)
        #expect(variant.attributes["NEW"]?.value == "x")
        #expect(master.hasIndependentSegments)
        #expect(master.start == StartPoint(offset: .milliseconds(-2500), isPrecise: true))
    }

    @Test func renditionTellsWhatItIs() throws {
        let outcome = Self.parse(
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"English\",LANGUAGE=\"en\",DEFAULT=YES,URI=\"en.m3u8\"",
            "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"c\",NAME=\"CC\",INSTREAM-ID=\"CC1\"")
        #expect(outcome.diagnostics == [])
        let renditions = try #require(outcome.master?.renditions)
        #expect(renditions.map(\.kind) == [.audio, .closedCaptions])
        #expect(renditions.map(\.uri) == ["en.m3u8", nil])
        // What is the default is played by itself, too.
        #expect(renditions.map(\.isAutoselected) == [true, false])
    }

    @Test(arguments: ["yes", "\"YES\"", "Yes"])
    func flagThatIsWrittenInAnotherWayIsForgiven(_ value: String) {
        let outcome = Self.parse("#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"n\",DEFAULT=\(value)")
        #expect(outcome.master?.renditions.first?.isDefault == true)
        #expect(outcome.diagnostics.map(\.id) == [PlaylistRule.looseAttribute.id])
    }

    @Test(arguments: [
        ("BANDWIDTH=12.5", PlaylistRule.looseValue, 12), ("BANDWIDTH=many", .looseValue, 0),
        ("AUDIO=\"a\"", .incompleteVariant, 0), ("BANDWIDTH=7,RESOLUTION=big", .looseValue, 7),
        ("BANDWIDTH=7,FRAME-RATE=fast", .looseValue, 7), ("BANDWIDTH = 7", .looseAttribute, 7),
        ("BANDWIDTH=7,", .looseAttribute, 7),
    ])
    func variantThatIsOddIsForgiven(_ attributes: String, _ rule: PlaylistRule, _ bandwidth: UInt64) {
        let outcome = Self.parse("#EXT-X-STREAM-INF:\(attributes)", "v")
        #expect(outcome.finds(rule))
        #expect(outcome.master?.variants.map(\.bandwidth) == [bandwidth])
    }

    @Test(arguments: [
        ("#EXT-X-MEDIA:TYPE=AUDIO,NAME=\"n\"", PlaylistRule.missingAttribute),
        ("#EXT-X-MEDIA:GROUP-ID=\"g\",NAME=\"n\"", .missingAttribute),
        ("#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1", .missingAttribute),
        ("#EXT-X-SESSION-DATA:VALUE=\"v\"", .missingAttribute),
        ("#EXT-X-SESSION-DATA:DATA-ID=\"d\",VALUE=\"v\",URI=\"u\"", .badAttributes),
        ("#EXT-X-SESSION-DATA:DATA-ID=\"d\"", .badAttributes), ("#EXT-X-SESSION-KEY:METHOD=AES-128", .missingAttribute),
    ])
    func choiceThatCannotBeUnderstoodIsRefused(_ tag: String, _ rule: PlaylistRule) {
        let outcome = Self.parse(tag)
        #expect(outcome.playlist == nil)
        #expect(outcome.finds(rule))
    }

    @Test func uriThatNothingStandsBeforeCountsForNothing() {
        let outcome = Self.parse("#EXT-X-STREAM-INF:BANDWIDTH=1", "v", "w")
        #expect(outcome.master?.variants.map(\.uri) == ["v"])
        #expect(outcome.diagnostics.map(\.id) == [PlaylistRule.uriWithoutVariant.id])
    }

    @Test func variablesAreThereToBeImported() {
        let outcome = Self.parse(
            "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"1\"", "#EXT-X-DEFINE:QUERYPARAM=\"u\"", "#EXT-X-STREAM-INF:BANDWIDTH=1",
            "{$u}/v{$a}")
        #expect(outcome.master?.variables == ["a": "1", "u": "me"])
        #expect(outcome.master?.variants.map(\.uri) == ["me/v1"])
    }

    @Test func sessionKeysAreKnown() {
        let outcome = Self.parse("#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\"", "#EXT-X-STREAM-INF:BANDWIDTH=1", "v")
        #expect(outcome.master?.sessionKeys == [MediaKey(method: .aes128, uri: "k")])
    }
}
