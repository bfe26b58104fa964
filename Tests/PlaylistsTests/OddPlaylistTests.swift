import Diagnostics
import Playlists
import Testing

/// The playlists of `odd/`: each has one peculiarity.
@Suite struct OddPlaylistTests {
    enum Expectation: Sendable {
        case refused(PlaylistRule)
        /// With a warning.
        case warned(PlaylistRule, segments: Int, seconds: Double)
        case clean(segments: Int, seconds: Double)
    }

    private static let table: [(String, Expectation)] = [
        ("bom", .warned(.byteOrderMark, segments: 2, seconds: 12)),
        ("byterange-64bit", .clean(segments: 1, seconds: 6)),
        ("byterange-orphan", .refused(.orphanRange)),
        ("byterange-other-resource", .refused(.orphanRange)),
        ("cr-only", .refused(.controlCharacter)),
        ("crlf", .clean(segments: 2, seconds: 12)),
        ("define-queryparam", .refused(.badDefinition)),
        ("define-undefined", .refused(.undefinedVariable)),
        ("dup-basenames", .clean(segments: 5, seconds: 30)),
        ("dur-over-target", .warned(.durationOverTarget, segments: 2, seconds: 13)),
        ("endlist-early", .clean(segments: 2, seconds: 12)),
        ("extinf-nocomma", .warned(.missingComma, segments: 2, seconds: 12)),
        ("gap", .clean(segments: 3, seconds: 18)),
        ("html-error-page", .refused(.noHeader)),
        ("key-multi-keyformat", .clean(segments: 1, seconds: 6)),
        ("key-rotate-none", .clean(segments: 3, seconds: 18)),
        ("key-short-iv", .warned(.looseValue, segments: 1, seconds: 6)),
        ("latin1", .warned(.notUTF8, segments: 1, seconds: 6)),
        ("ll-hls-parts", .clean(segments: 1, seconds: 4)),
        ("map-after-byterange", .clean(segments: 1, seconds: 6)),
        ("map-enc-no-iv", .refused(.encryptedMapWithoutVector)),
        ("map-switch", .clean(segments: 3, seconds: 18)),
        ("master-mixed-tags", .refused(.mixedKinds)),
        ("neg-duration", .warned(.negativeDuration, segments: 2, seconds: 6)),
        ("no-final-newline", .clean(segments: 2, seconds: 12)),
        ("same-uri-twice", .clean(segments: 3, seconds: 18)),
        ("tags-between", .clean(segments: 1, seconds: 6)),
        // Its URIs are judged when they are resolved.
        ("uri-hostile", .clean(segments: 6, seconds: 36)),
        ("vod-no-endlist", .warned(.noEndList, segments: 1, seconds: 6)),
    ]

    private static let masters: [(String, PlaylistRule?, variants: Int)] = [
        ("master-missing-group", .missingGroup, 1),
        ("master-redundant", nil, 2),
        ("master-stream-inf-no-uri", .variantWithoutURI, 1),
    ]

    private static func parse(_ name: String, url: String = "https://example.com/list.m3u8") throws
        -> PlaylistParser.Outcome
    {
        try CorpusPlaylist.parse("odd/\(name).m3u8", url: url)
    }

    @Test func everyOneIsExpected() {
        let names = CorpusPlaylist.all.map(\.path).filter { $0.hasPrefix("odd/") }
        let known = Self.table.map(\.0) + Self.masters.map(\.0)
        #expect(Set(names) == Set(known.map { "odd/\($0).m3u8" }))
        #expect(names.count == 32)
    }

    @Test(arguments: table)
    func mediaPlaylistIsReadOrRefused(_ name: String, _ expectation: Expectation) throws {
        let outcome = try Self.parse(name)
        switch expectation {
        case .refused(let rule):
            #expect(outcome.playlist == nil)
            #expect(outcome.finds(rule))
        case .warned(let rule, let segments, let seconds):
            #expect(outcome.finds(rule))
            #expect(outcome.media?.segments.count == segments)
            #expect(outcome.media?.duration == .seconds(seconds))
        case .clean(let segments, let seconds):
            #expect(outcome.media?.segments.count == segments)
            #expect(outcome.media?.duration == .seconds(seconds))
            #expect(outcome.diagnostics == [])
        }
    }

    @Test(arguments: masters)
    func masterPlaylistIsRead(_ name: String, _ rule: PlaylistRule?, _ variants: Int) throws {
        let outcome = try Self.parse(name)
        #expect(outcome.master?.variants.count == variants)
        #expect(outcome.diagnostics.map(\.id) == (rule.map { [$0.id] } ?? []))
    }

    @Test func offsetsGoBeyondThirtyTwoBits() throws {
        let range = try #require(try Self.parse("byterange-64bit").media?.segments.first?.byteRange)
        #expect(range.offset == 4_294_967_296)
        #expect(range.end == 9_294_967_296)
    }

    @Test func carriageReturnsAreNoPartOfURIs() throws {
        #expect(try Self.parse("crlf").media?.segments.map(\.uri) == ["a.ts", "b.ts"])
    }

    @Test func variableComesFromTheQueryOfTheFinalURL() throws {
        let outcome = try Self.parse("define-queryparam", url: "https://example.com/list.m3u8?token=a%2Bb")
        #expect(outcome.media?.segments.map(\.uri) == ["a.ts?t=a+b"])
    }

    @Test func tagWithoutURIIsNeverPairedWithAnotherTagsURI() throws {
        let variant = try Self.parse("master-stream-inf-no-uri").master?.variants.first
        #expect(variant?.uri == "v2.m3u8")
        #expect(variant?.bandwidth == 2)
    }

    @Test func gapIsKept() throws {
        #expect(try Self.parse("gap").media?.segments.map(\.isGap) == [false, true, false])
    }

    @Test func keysRotate() throws {
        let playlist = try #require(try Self.parse("key-rotate-none").media)
        let keys = playlist.segments.map { $0.keySet.map { playlist.keySets[Int($0)] } }
        #expect(keys.map { $0?.map(\.uri) } == [["k1"], ["k2"], nil])
        let vectors = try keys.enumerated().map { index, set in
            try set.map { playlist.initializationVector(of: try #require($0.first), forSegmentAt: index).bytes }
        }
        #expect(vectors == [Array(repeating: 0, count: 16), Array(0...15), nil])
    }

    @Test func shortVectorIsANumber() throws {
        let key = try Self.parse("key-short-iv").media?.keySets.first?.first
        #expect(key?.initializationVector?.bytes == Array(repeating: 0, count: 15) + [1])
    }

    @Test func keysOfSeveralFormatsAreInForceTogether() throws {
        let keys = try #require(try Self.parse("key-multi-keyformat").media?.keySets.first)
        #expect(keys.map(\.isUsable) == [true, false])
    }

    @Test func partsAreCountedAndHintsIgnored() throws {
        let playlist = try #require(try Self.parse("ll-hls-parts").media)
        #expect(playlist.partCount == 2)
        #expect(!playlist.isComplete)
        #expect(playlist.mediaSequence == 10)
    }

    @Test func rangeBeforeMapIsTheSegments() throws {
        let playlist = try #require(try Self.parse("map-after-byterange").media)
        #expect(playlist.segments.first?.byteRange == ByteRange(offset: 720, lengthBytes: 500))
        #expect(playlist.maps.first?.byteRange == ByteRange(offset: 0, lengthBytes: 720))
    }

    @Test func mapsSwitchBackAndForth() throws {
        let playlist = try #require(try Self.parse("map-switch").media)
        #expect(playlist.maps.map(\.uri) == ["i1.mp4", "i2.mp4"])
        #expect(playlist.segments.map(\.map) == [0, 1, 0])
        #expect(playlist.segments.map(\.isDiscontinuity) == [false, true, true])
    }

    @Test func tagsBetweenDurationAndURIBelongToTheSegment() throws {
        let range = try Self.parse("tags-between").media?.segments.first?.byteRange
        #expect(range == ByteRange(offset: 0, lengthBytes: 100))
    }

    @Test func titleThatIsNotUTF8IsKeptAsFarAsItCanBe() throws {
        #expect(try Self.parse("latin1").media?.segments.first?.title == "caf\u{FFFD}")
    }

    @Test func vodIsCompleteWithoutItsEnd() throws {
        #expect(try Self.parse("vod-no-endlist").media?.isComplete == true)
        #expect(try Self.parse("no-final-newline").media?.isComplete == false)
    }
}
