import Playlists
import Testing

@Suite struct OfflinePlanTests {
    private static func source(_ text: String, url: String = "https://cdn.example/film/list.m3u8") throws
        -> OfflinePlan.Source
    {
        let outcome = PlaylistParser.parse(Array(text.utf8), .init(url: url))
        return .init(
            playlist: try #require(outcome.media, "\(outcome.diagnostics)"), address: PlaylistAddress(url: url),
            url: url)
    }

    private static func source(corpus name: String) throws -> OfflinePlan.Source {
        try source(String(decoding: try CorpusPlaylist.bytes("odd/\(name).m3u8"), as: UTF8.self))
    }

    private static func plan(_ lines: String..., allowsLive: Bool = false) throws -> OfflinePlan {
        var options = OfflinePlan.Options()
        options.allowsLive = allowsLive
        return try OfflinePlan(
            try source((["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines).joined(separator: "\n")), options)
    }

    /// The copy's playlist as a player reads it.
    private static func reread(_ plan: OfflinePlan) throws -> MediaPlaylist {
        let planned = try #require(plan.playlists.first)
        let outcome = PlaylistParser.parse(
            Array(PlaylistWriter.text(of: planned.content).utf8), .init(url: "file:///x"))
        #expect(outcome.diagnostics == [])
        var playlist = try #require(outcome.media)
        playlist.version = nil
        return playlist
    }

    @Test func resourceIsStoredOnceForEachURLAndRange() throws {
        let plan = try OfflinePlan(try Self.source(corpus: "same-uri-twice"))
        #expect(plan.resources.map(\.url) == ["https://cdn.example/film/loop.ts", "https://cdn.example/film/ad.ts"])
        let uris = try Self.reread(plan).segments.map(\.uri)
        #expect(uris.count == 3 && uris[0] == uris[2] && uris[0] != uris[1])

        let ranges = try Self.plan(
            "#EXTINF:1,", "#EXT-X-BYTERANGE:5@0", "a.ts", "#EXTINF:1,", "#EXT-X-BYTERANGE:5", "a.ts", "#EXT-X-ENDLIST")
        #expect(
            ranges.resources.map(\.byteRange) == [
                ByteRange(offset: 0, lengthBytes: 5), ByteRange(offset: 5, lengthBytes: 5),
            ])
        #expect(Set(ranges.resources.map(\.path)).count == 2)
        // Each range is a file of its own.
        #expect(try Self.reread(ranges).segments.map(\.byteRange) == [nil, nil])
    }

    @Test func namesDifferEvenWhereCaseDoesNotCount() throws {
        let plan = try OfflinePlan(try Self.source(corpus: "dup-basenames"))
        #expect(Set(plan.resources.map { $0.path.lowercased() }).count == 5)
    }

    @Test func namesAreSafeAndTellTheExtensionThatPlayersExpect() throws {
        let plan = try Self.plan(
            "#EXT-X-KEY:METHOD=AES-128,URI=\"../keys/k1.key?uid=1\",IV=0x00000000000000000000000000000001",
            "#EXTINF:1,", "..%2f..%2fetc%2fpasswd", "#EXTINF:1,", "CON.bin?x=/../y", "#EXTINF:1,", ".hidden.AAC",
            "#EXT-X-MAP:URI=\"init\"", "#EXTINF:1,", "part.cmfv", "#EXTINF:1,", "php", "#EXT-X-ENDLIST")
        #expect(
            plan.resources.map { $0.path.split(separator: ".").last } == ["ts", "ts", "ts", "aac", "mp4", "m4s", "m4s"])
        for path in plan.resources.map(\.path) {
            #expect(path.wholeMatch(of: /media\/([A-Za-z0-9_]{1,24}-)?[0-9a-f]{32}\.[a-z0-9]+/) != nil, "\(path)")
        }
    }

    @Test func nameDependsOnTheURLAndNothingElse() throws {
        let first = try Self.plan("#EXTINF:1,", "a.ts", "#EXTINF:1,", "b.ts", "#EXT-X-ENDLIST")
        let second = try Self.plan("#EXTINF:9,title", "b.ts", "#EXT-X-ENDLIST")
        #expect(first.resources.last?.path == second.resources.first?.path)
        #expect(first.resources.first?.path == "media/a-d3e45fd7234f8174b1362de83171f1a9.ts")
    }

    @Test func gapIsKeptAndNeverAskedFor() throws {
        let plan = try OfflinePlan(try Self.source(corpus: "gap"))
        #expect(plan.resources.map(\.url) == ["https://cdn.example/film/1.ts", "https://cdn.example/film/3.ts"])
        #expect(try Self.reread(plan).segments.map(\.isGap) == [false, true, false])
    }

    @Test func keyAndSectionOfAGapAreNotAskedForEither() throws {
        let plan = try Self.plan(
            "#EXTINF:1,", "a.ts",
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
            "#EXT-X-MAP:URI=\"file:///x\"", "#EXT-X-GAP", "#EXTINF:1,", "b.ts", "#EXT-X-ENDLIST")
        #expect(plan.resources.count == 1)
        #expect(try Self.reread(plan).segments.map(\.keySet) == [nil, nil])
    }

    @Test func keysStayBesideTheSegments() throws {
        let source = try Self.source(corpus: "key-rotate-none")
        let plan = try OfflinePlan(source)
        #expect(plan.resources.map(\.role) == [.key, .segment, .key, .segment, .segment])
        let copy = try Self.reread(plan)
        #expect(copy.segments.map(\.keySet) == [0, 1, nil])
        #expect(copy.keySets.map { $0.map(\.uri) } == [[plan.resources[0].path], [plan.resources[2].path]])
        #expect(
            copy.keySets.map { $0.first?.initializationVector }
                == source.playlist.keySets.map { $0.first?.initializationVector })
    }

    @Test func ofSeveralFormatsTheUsableKeyIsKept() throws {
        let plan = try OfflinePlan(try Self.source(corpus: "key-multi-keyformat"))
        #expect(plan.resources.map(\.url) == ["https://cdn.example/film/k1", "https://cdn.example/film/1.ts"])
        #expect(try Self.reread(plan).keySets.map(\.count) == [1])
    }

    @Test func numbersStayAsTheyWereSoThatVectorsDo() throws {
        let plan = try Self.plan(
            "#EXT-X-MEDIA-SEQUENCE:7794", "#EXT-X-DISCONTINUITY-SEQUENCE:3", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"",
            "#EXTINF:1,", "a.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:1,", "b.ts", "#EXT-X-ENDLIST")
        let copy = try Self.reread(plan)
        #expect(copy.mediaSequence == 7794)
        #expect(copy.discontinuitySequence == 3)
        #expect(copy.segments.map(\.isDiscontinuity) == [false, true])
        #expect(copy.keySets.first?.first?.initializationVector == nil)
    }

    @Test func vectorsAreWrittenOutWhereNumbersNeedMoreThanThirtyTwoBits() throws {
        let plan = try Self.plan(
            "#EXT-X-MEDIA-SEQUENCE:4294967295", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "#EXTINF:1,", "a.ts",
            "#EXTINF:1,",
            "b.ts", "#EXT-X-ENDLIST")
        let copy = try Self.reread(plan)
        let vectors = copy.segments.compactMap { $0.keySet }.map {
            copy.keySets[Int($0)].first?.initializationVector?.description
        }
        #expect(vectors == ["0x000000000000000000000000ffffffff", "0x00000000000000000000000100000000"])
        #expect(plan.resources.map(\.role) == [.key, .segment, .segment])
    }

    @Test func sectionsSwitchAndEachIsStoredOnce() throws {
        let plan = try OfflinePlan(try Self.source(corpus: "map-switch"))
        #expect(plan.resources.count { $0.role == .initializationSection } == 2)
        #expect(try Self.reread(plan).segments.map(\.map) == [0, 1, 0])
    }

    @Test func clearSectionBeforeEncryptedSegmentsStaysClear() throws {
        let plan = try Self.plan(
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x00000000000000000000000000000001",
            "#EXT-X-MAP:URI=\"locked.mp4\"",
            "#EXTINF:1,", "a.m4s", "#EXT-X-KEY:METHOD=NONE", "#EXT-X-MAP:URI=\"clear.mp4\"",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x00000000000000000000000000000001", "#EXTINF:1,", "b.m4s",
            "#EXT-X-ENDLIST")
        let copy = try Self.reread(plan)
        #expect(copy.maps.map(\.keySet) == [0, nil])
        #expect(copy.segments.map(\.keySet) == [0, 0])
    }

    @Test func everyURIOfTheCopyIsRelativeAndStored() throws {
        let plan = try OfflinePlan(try Self.source(corpus: "key-rotate-none"))
        let copy = try Self.reread(plan)
        let named = Set(copy.segments.map(\.uri) + copy.maps.map(\.uri) + copy.keySets.joined().map(\.uri))
        #expect(named == Set(plan.resources.map(\.path)))
    }

    @Test func livePlaylistIsRefusedUnlessItMayEndWhereItIs() throws {
        #expect(throws: PlanRefusal.live(playlist: "https://cdn.example/film/list.m3u8")) {
            try Self.plan("#EXTINF:1,", "a.ts")
        }
        let copy = try Self.reread(try Self.plan("#EXT-X-PLAYLIST-TYPE:EVENT", "#EXTINF:1,", "a.ts", allowsLive: true))
        #expect(copy.hasEndList && copy.kind == .vod)
    }

    @Test(arguments: [
        ("METHOD=SAMPLE-AES,URI=\"k\"", "SAMPLE-AES"),
        ("METHOD=SAMPLE-AES-CTR,URI=\"k\",KEYFORMAT=\"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed\"", "Widevine"),
        ("METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"", "FairPlay"),
        ("METHOD=SAMPLE-AES-CTR,URI=\"data:,x\",KEYFORMAT=\"com.microsoft.playready\"", "PlayReady"),
        ("METHOD=AES-128,URI=\"k\",KEYFORMAT=\"org.example\"", "org.example"), ("METHOD=AES-256,URI=\"k\"", "AES-256"),
    ])
    func encryptionThatCannotBeCopiedIsRefusedByName(_ key: String, _ name: String) {
        let refusal = #expect(throws: PlanRefusal.self) {
            try Self.plan("#EXTINF:1,", "a.ts", "#EXT-X-KEY:\(key)", "#EXTINF:1,", "b.ts", "#EXT-X-ENDLIST")
        }
        #expect(refusal?.description.contains(name) == true)
    }

    @Test func deltaUpdateIsRefused() throws {
        #expect(throws: PlanRefusal.self) {
            try Self.plan("#EXT-X-SKIP:SKIPPED-SEGMENTS=1", "#EXTINF:1,", "a.ts", "#EXT-X-ENDLIST")
        }
    }

    @Test func hostileURIRefusesTheWholePlan() throws {
        #expect(throws: PlanRefusal.self) { try OfflinePlan(try Self.source(corpus: "uri-hostile")) }
    }

    @Test func targetDurationCoversEverySegment() throws {
        let copy = try Self.reread(try OfflinePlan(try Self.source(corpus: "dur-over-target")))
        #expect(copy.targetDuration == .seconds(7))
    }

    @Test func gapAfterSectionAndKeyChangesNeither() throws {
        let plan = try Self.plan(
            "#EXT-X-MAP:URI=\"i.mp4\"", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x00000000000000000000000000000001",
            "#EXTINF:1,", "a.m4s",
            "#EXT-X-MAP:URI=\"j.mp4\",BYTERANGE=\"1@1\"",
            "#EXT-X-GAP", "#EXTINF:1,", "b.m4s", "#EXTINF:1,", "c.m4s", "#EXT-X-ENDLIST")
        #expect(Playlist.media(try Self.reread(plan)) == Self.withoutVersion(plan.playlists[0].content))
        #expect(
            plan.resources.map(\.role) == [.initializationSection, .key, .segment, .initializationSection, .segment])
    }

    private static let plannable = CorpusPlaylist.all.compactMap { corpus -> (String, OfflinePlan)? in
        var options = OfflinePlan.Options()
        options.allowsLive = true
        let url = "https://cdn.example/film/list.m3u8"
        guard let playlist = try? CorpusPlaylist.parse(corpus.path, url: url).media,
            let plan = try? OfflinePlan(
                .init(playlist: playlist, address: PlaylistAddress(url: url), url: url), options)
        else { return nil }
        return (corpus.path, plan)
    }

    @Test func mostOfTheCorpusCanBePlanned() {
        #expect(Self.plannable.count == 108)
    }

    @Test(arguments: plannable)
    func copyReadsAsItWasPlanned(_ name: String, _ plan: OfflinePlan) throws {
        #expect(Playlist.media(try Self.reread(plan)) == Self.withoutVersion(plan.playlists[0].content))
    }

    /// The writer sees to versions.
    private static func withoutVersion(_ playlist: Playlist) -> Playlist {
        guard case .media(var media) = playlist else { return playlist }
        media.version = nil
        return .media(media)
    }

    // MARK: Presentations

    private static let master = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="French",LANGUAGE="fr",URI="fr.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="subs.m3u8"
        #EXT-X-SESSION-DATA:DATA-ID="title",URI="title.json"
        #EXT-X-SESSION-DATA:DATA-ID="author",VALUE="me"
        #EXT-X-SESSION-KEY:METHOD=AES-128,URI="https://keys.example/k"
        #EXT-X-CONTENT-STEERING:SERVER-URI="https://steer.example/"
        #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a",SUBTITLES="s",PATHWAY-ID="P",X-NOTE="kept"
        hi.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="a",SUBTITLES="s"
        lo.m3u8
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=10,URI="i.m3u8"
        """

    private static func presentation(_ selection: VariantSelection = VariantSelection()) throws -> OfflinePlan {
        let url = "https://cdn.example/film/master.m3u8"
        let outcome = PlaylistParser.parse(Array(master.utf8), .init(url: url))
        let playlist = try #require(outcome.master)
        let choice = try PlaylistChoice(from: playlist, by: selection)
        let address = PlaylistAddress(url: url)
        let sources = try choice.playlistURIs.map { uri in
            let text =
                "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n\(uri)-1\n#EXTINF:6,\nshared.aac\n#EXT-X-ENDLIST\n"
            return (uri, try source(text, url: "https://cdn.example/film/" + uri))
        }
        return try OfflinePlan(
            playlist, at: address, choice: choice, sources: Dictionary(sources) { first, _ in first })
    }

    private static func copiedMaster(_ plan: OfflinePlan) throws -> MasterPlaylist {
        let planned = try #require(plan.playlists.first)
        #expect(planned.path == "index.m3u8")
        let outcome = PlaylistParser.parse(
            Array(PlaylistWriter.text(of: planned.content).utf8), .init(url: "file:///x"))
        #expect(outcome.diagnostics == [])
        return try #require(outcome.master)
    }

    @Test func copyListsWhatIsStoredAndNothingElse() throws {
        let plan = try Self.presentation()
        let copy = try Self.copiedMaster(plan)
        #expect(copy.variants.map(\.bandwidth) == [2000])
        #expect(copy.renditions.map(\.name) == ["English"])
        #expect(copy.iFrameStreams == [] && copy.sessionKeys == [])
        #expect(copy.variants.map(\.uri) + copy.renditions.compactMap(\.uri) == plan.playlists.dropFirst().map(\.path))
        // The group of subtitles has lost its members.
        #expect(copy.variants.first?.attributes.attributes.map(\.name) == ["BANDWIDTH", "AUDIO", "X-NOTE"])
        #expect(!PlaylistWriter.text(of: plan.playlists[0].content).contains("://"))
    }

    @Test func sessionDataIsStored() throws {
        let plan = try Self.presentation()
        let data = try #require(plan.resources.first { $0.role == .sessionData })
        #expect(data.url == "https://cdn.example/film/title.json")
        #expect(try Self.copiedMaster(plan).sessionData.map(\.uri) == [data.path, nil])
    }

    @Test func segmentOfTwoPlaylistsIsStoredOnce() throws {
        let plan = try Self.presentation()
        #expect(plan.resources.count { $0.url.hasSuffix("shared.aac") } == 1)
        #expect(Set(plan.resources.map(\.path)).count == plan.resources.count)
    }

    @Test func everythingHasAPlaylistEach() throws {
        var selection = VariantSelection()
        selection.takesAll = true
        let plan = try Self.presentation(selection)
        let copy = try Self.copiedMaster(plan)
        #expect(copy.variants.count == 2 && copy.renditions.count == 3)
        #expect(plan.playlists.count == 6)
        // Subtitles whose URL tells no extension are taken for WebVTT.
        #expect(plan.resources.first { $0.url.hasSuffix("subs.m3u8-1") }?.path.hasSuffix(".vtt") == true)
    }
}
