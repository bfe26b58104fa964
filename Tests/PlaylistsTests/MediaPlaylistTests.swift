import Diagnostics
import Playlists
import Testing

@Suite struct MediaPlaylistTests {
    private static func parse(
        _ lines: String..., url: String = "https://example.com/list.m3u8", importing variables: [String: String]? = nil,
        limits: PlaylistLimits = PlaylistLimits()
    ) -> PlaylistParser.Outcome {
        var context = PlaylistParser.Context(url: url, importableVariables: variables)
        context.limits = limits
        let text = (["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines).joined(separator: "\n")
        return PlaylistParser.parse(Array(text.utf8), context)
    }

    @Test func rangeWithoutOffsetContinuesTheSegmentBefore() {
        let outcome = Self.parse(
            "#EXT-X-BYTERANGE:100@20", "#EXTINF:1,", "a", "#EXT-X-BYTERANGE:5", "#EXTINF:1,", "a", "#EXTINF:1,",
            "#EXT-X-BYTERANGE:7", "a")
        #expect(outcome.media?.segments.map { $0.byteRange?.offset } == [20, 120, 125])
        #expect(outcome.media?.segments.last?.byteRange?.end == 132)
    }

    @Test(arguments: ["0@5", "9223372036854775807@1", "1@9223372036854775808", "-1@0", "1@-1", "1@", "@1", "", "1@2@3"])
    func rangeThatNoFileHasIsRefused(_ range: String) {
        let outcome = Self.parse("#EXT-X-BYTERANGE:\(range)", "#EXTINF:1,", "a")
        #expect(outcome.playlist == nil)
        #expect(outcome.finds(.badValue))
    }

    @Test func sequenceNumbersHaveSixtyFourBits() throws {
        let last = try #require(
            Self.parse(
                "#EXT-X-MEDIA-SEQUENCE:18446744073709551614", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "#EXTINF:1,", "a"
            )
            .media)
        let key = try #require(last.keySets.first?.first)
        #expect("\(last.initializationVector(of: key, forSegmentAt: 0))" == "0x0000000000000000fffffffffffffffe")
        #expect(Self.parse("#EXT-X-MEDIA-SEQUENCE:18446744073709551615", "#EXTINF:1,", "a").finds(.badValue))
        #expect(Self.parse("#EXT-X-MEDIA-SEQUENCE:18446744073709551616", "#EXTINF:1,", "a").finds(.badValue))
    }

    @Test func secondSequenceNumberThatDiffersIsRefused() {
        let outcome = Self.parse("#EXT-X-MEDIA-SEQUENCE:1", "#EXT-X-MEDIA-SEQUENCE:2", "#EXTINF:1,", "a")
        #expect(outcome.playlist == nil)
        #expect(outcome.finds(.contradiction))
    }

    @Test(arguments: [
        ("6", Duration.seconds(6)), ("6.006", .milliseconds(6006)), (".5", .milliseconds(500)), ("7.", .seconds(7)),
        ("0.000000000000000001", Duration(secondsComponent: 0, attosecondsComponent: 1)),
        ("0.0000000000000000019", Duration(secondsComponent: 0, attosecondsComponent: 1)),
    ])
    func durationIsExact(_ text: String, _ duration: Duration) {
        #expect(Self.parse("#EXTINF:\(text),", "a").media?.segments.first?.duration == duration)
    }

    @Test(arguments: ["", ".", "-", "1e3", "NaN", "0x10", "1.2.3", "99999999999"])
    func durationThatIsNoneIsRefused(_ text: String) {
        let outcome = Self.parse("#EXTINF:\(text),", "a")
        #expect(outcome.playlist == nil)
        #expect(outcome.finds(.badValue))
    }

    @Test func attributesOfTelevisionListsAreForgiven() {
        let outcome = Self.parse("#EXTINF:-1 tvg-id=\"x\" group=\"y\",News", "a")
        #expect(outcome.media?.segments.first?.title == "News")
        #expect(outcome.finds(.looseValue) && outcome.finds(.negativeDuration))
    }

    @Test func segmentWithoutURIIsAHoleAndRefused() {
        #expect(Self.parse("#EXTINF:1,", "#EXTINF:2,", "b").finds(.segmentWithoutURI))
        #expect(Self.parse("#EXTINF:1,").playlist == nil)
    }

    @Test func uriWithoutDurationIsRefused() {
        #expect(Self.parse("#EXTINF:1,", "a", "b").playlist == nil)
    }

    @Test func mapKeepsTheKeysThatWereInForceWhereItStands() throws {
        let playlist = try #require(
            Self.parse(
                "#EXT-X-MAP:URI=\"clear\"", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x01", "#EXTINF:1,", "a",
                "#EXT-X-MAP:URI=\"locked\"", "#EXTINF:1,", "b"
            ).media)
        #expect(playlist.maps.map(\.keySet) == [nil, 0])
        #expect(playlist.segments.map(\.keySet) == [0, 0])
    }

    @Test func titleDateAndBitrateStandWithTheirSegments() {
        let outcome = Self.parse(
            "#EXT-X-BITRATE:700", "#EXTINF:1,First, of two", "a",
            "#EXT-X-PROGRAM-DATE-TIME:2026-11-30T00:00:00.5+01:00",
            "#EXTINF:1,", "b")
        #expect(outcome.media?.segments.map(\.title) == ["First, of two", ""])
        #expect(outcome.media?.segments.map(\.programDateTime) == [nil, "2026-11-30T00:00:00.5+01:00"])
        #expect(outcome.media?.segments.map(\.bitrate) == [700, 700])
    }

    @Test func unknownTagsAndCommentsAreSkipped() {
        let outcome = Self.parse("#EXT-X-NEWEST:A=1", "#EXTGRP:x", "# words", "#", "#EXTINF:1,", "a")
        #expect(outcome.diagnostics == [])
        #expect(outcome.media?.segments.map(\.uri) == ["a"])
    }

    @Test(arguments: [
        "#EXT-X-KEY:URI=\"k\"", "#EXT-X-KEY:METHOD=AES-128", "#EXT-X-MAP:BYTERANGE=\"1@0\"",
    ])
    func missingAttributeIsRefused(_ tag: String) {
        #expect(Self.parse(tag, "#EXTINF:1,", "a").finds(.missingAttribute))
    }

    @Test(arguments: [
        "METHOD=AES-128,URI=\"k", "METHOD=AES-128,URI=\"k\"IV=0x1", "METHOD=AES-128,URI=k", "=x", "METHOD",
        "METHOD=AES\"-128\",URI=\"k\"",
        "METHOD=AES-128,,URI=\"k\"",
    ])
    func attributesThatCannotBeToldApartAreRefused(_ list: String) {
        let outcome = Self.parse("#EXT-X-KEY:\(list)", "#EXTINF:1,", "a")
        #expect(outcome.playlist == nil)
        #expect(outcome.finds(.badAttributes))
    }

    @Test func attributeWithTwoValuesIsRefusedAndWithOneTwiceForgiven() {
        #expect(Self.parse("#EXT-X-MAP:URI=\"a\",URI=\"b\"", "#EXTINF:1,", "s").finds(.duplicateAttribute))
        let twice = Self.parse("#EXT-X-MAP:URI=\"a\",URI=\"a\"", "#EXTINF:1,", "s")
        #expect(twice.media?.maps.map(\.uri) == ["a"])
        #expect(twice.finds(.looseAttribute))
    }

    @Test(arguments: ["0x", "1234", "0xg", "0x000000000000000000000000000000001"])
    func vectorThatIsNoneIsRefused(_ vector: String) {
        #expect(Self.parse("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=\(vector)", "#EXTINF:1,", "a").finds(.badValue))
    }

    @Test func variablesAreReplacedOnceAndOnlyAfterTheirDefinition() {
        let outcome = Self.parse(
            "#EXT-X-DEFINE:NAME=\"host\",VALUE=\"h{\"", "#EXT-X-DEFINE:IMPORT=\"path\"",
            "#EXT-X-MAP:URI=\"{$path}/i\"",
            "#EXTINF:1,{$host}", "{$host}$path}/{$path}/{$ / {}", importing: ["path": "p"])
        #expect(outcome.diagnostics == [])
        #expect(outcome.media?.segments.map(\.uri) == ["h{$path}/p/{$ / {}"])
        #expect(outcome.media?.maps.map(\.uri) == ["p/i"])
        // Titles are no place for variables.
        #expect(outcome.media?.segments.first?.title == "{$host}")
        #expect(Self.parse("#EXTINF:1,", "{$a}", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"").finds(.undefinedVariable))
    }

    @Test(arguments: [
        "IMPORT=\"other\"", "QUERYPARAM=\"none\"", "QUERYPARAM=\"quote\"", "NAME=\"a\"", "NAME=\"a b\",VALUE=\"x\"",
        "NAME=\"a\",IMPORT=\"path\"", "VALUE=\"x\"",
    ])
    func definitionThatCannotBeFollowedIsRefused(_ definition: String) {
        let outcome = Self.parse(
            "#EXT-X-DEFINE:\(definition)", "#EXTINF:1,", "a", url: "https://e.com/l?quote=%22&empty=",
            importing: ["path": "p"])
        #expect(outcome.playlist == nil)
        #expect(outcome.finds(.badDefinition))
    }

    @Test(arguments: ["", "#a", " a", "a "])
    func variableThatMakesSomethingElseOfALineIsRefused(_ value: String) {
        #expect(Self.parse("#EXT-X-DEFINE:NAME=\"v\",VALUE=\"\(value)\"", "#EXTINF:1,", "{$v}").finds(.badURI))
    }

    @Test func variableIsDefinedOnce() {
        let define = "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\""
        #expect(Self.parse(define, define, "#EXTINF:1,", "a").finds(.badDefinition))
    }

    @Test func limitsHold() {
        var limits = PlaylistLimits()
        limits.maps = 1
        let map = { (uri: String) in "#EXT-X-MAP:URI=\"\(uri)\"" }
        #expect(Self.parse(map("a"), map("a"), "#EXTINF:1,", "s", limits: limits).playlist != nil)
        #expect(Self.parse(map("a"), map("b"), "#EXTINF:1,", "s", limits: limits).finds(.tooLarge))
        limits = PlaylistLimits()
        limits.keySets = 1
        let key = { (uri: String) in "#EXT-X-KEY:METHOD=AES-128,URI=\"\(uri)\"" }
        #expect(Self.parse(key("a"), "#EXTINF:1,", "s", limits: limits).playlist != nil)
        #expect(Self.parse(key("a"), "#EXTINF:1,", "s", key("b"), "#EXTINF:1,", "t", limits: limits).finds(.tooLarge))
        limits = PlaylistLimits()
        limits.segments = 1
        #expect(Self.parse("#EXTINF:1,", "a", "#EXTINF:1,", "b", limits: limits).finds(.tooLarge))
        limits = PlaylistLimits()
        limits.lineBytes = 30
        #expect(Self.parse("#EXTINF:1,", String(repeating: "a", count: 31), limits: limits).finds(.tooLarge))
        limits = PlaylistLimits()
        limits.attributes = 1
        #expect(Self.parse("#EXT-X-MAP:URI=\"a\",X=1", "#EXTINF:1,", "b", limits: limits).finds(.tooLarge))
        limits = PlaylistLimits()
        limits.substitutedLineBytes = 5
        let define = "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"bbb\""
        #expect(Self.parse(define, "#EXTINF:1,", "{$a}{$a}", limits: limits).finds(.tooLarge))
        limits = PlaylistLimits()
        limits.substitutedBytes = 5
        let outcome = Self.parse(define, "#EXTINF:1,", "{$a}", "#EXTINF:1,", "{$a}", limits: limits)
        #expect(outcome.finds(.tooLarge) && outcome.diagnostics.count == 1)
        limits = PlaylistLimits()
        limits.keyFormats = 1
        let keys = ["1", "2"].map { "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"\($0)\"" }
        #expect(Self.parse(keys[0], keys[1], "#EXTINF:1,", "a", limits: limits).finds(.tooLarge))
        #expect(!Self.parse(keys[0], keys[0], "#EXTINF:1,", "a", limits: limits).finds(.tooLarge))
        limits = PlaylistLimits()
        limits.textBytes = 10
        #expect(Self.parse("#EXTINF:1,", "b", limits: limits).finds(.tooLarge))
    }

    @Test func findingPointsAtItsPlaceAndIsToldAFewTimes() throws {
        let outcome = Self.parse("#EXTINF:1", "a", "#EXTINF:2", "b")
        #expect(outcome.diagnostics.map(\.id) == ["M022", "M022"])
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:"
        #expect(outcome.diagnostics.first?.range == SourceRange(start: text.utf8.count, end: text.utf8.count + 1))
        let many = String(repeating: "#EXTINF:1\na\n", count: 1000)
        #expect(Self.parse(many).diagnostics.count == 20)
    }

    @Test func compressedTextIsNamed() {
        let outcome = PlaylistParser.parse([0x1F, 0x8B, 8, 0], .init(url: "https://example.com/"))
        #expect(outcome.diagnostics.map(\.id) == [PlaylistRule.compressed.id])
    }

    @Test(arguments: ["#EXTINF:1,a\u{0}b\na", "#EXTINF:1,\ra\n", "#EXTINF:1,\na\u{1B}"])
    func controlCharactersAreRefused(_ lines: String) {
        #expect(Self.parse(lines).finds(.controlCharacter))
    }
}
