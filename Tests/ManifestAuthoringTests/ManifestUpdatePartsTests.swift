import Glibc
import Platform
import TestSupport
import Testing

@testable import ManifestAuthoring

/// What becomes of segments and presentations, whose files belong together, when a manifest is brought up to date.
@Suite struct ManifestUpdatePartsTests {
    private let updating: Updating
    private var folder: TemporaryDirectory { updating.folder }

    init() throws { updating = try Updating() }

    @Test func theDigestOfWhatSegmentsMakeIsRenewedWithThem() throws {
        try folder.write("one".utf8, to: "1")
        try folder.write("two".utf8, to: "2")
        func old(_ first: String, joined: String, second: String = "2") -> String {
            let segments = [Updating.file("1", of: first), Updating.file("2", second, of: "two")].joined(
                separator: ", ")
            let join = #""join": "j", "joinSHA256": "\#(SHA256.digest(of: joined.utf8))""#
            return Updating.manifest(#"{"id": "s", "kind": "segments", \#(join), "segments": [\#(segments)]}"#)
        }
        let new = try updating.text(of: old("old", joined: "oldtwo"))
        #expect(new == old("one", joined: "onetwo").replacing("\"serial\": 1", with: "\"serial\": 2"))
        #expect(try updating.text(of: old("one", joined: "whatever")) == nil)
        let failure = #expect(throws: CreationProblem.self) {
            try updating.text(of: old("old", joined: "oldtwo", second: "https://a.example/2"))
        }
        guard case .unknownJoinedDigest("s")? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// A digest of a segment that was missing says nothing of what was joined.
    @Test func segmentsWhoseDigestsWereMissingAreJoinedAnewWhereAllAreHere() throws {
        try folder.write("one".utf8, to: "1")
        try folder.write("two".utf8, to: "2")
        func old(_ first: String, joined: String, second: String = "2") -> String {
            let segments = [first, Updating.file("2", second, of: "two")].joined(separator: ", ")
            let join = #""join": "j", "joinSHA256": "\#(SHA256.digest(of: joined.utf8))", "version": "7""#
            return Updating.manifest(#"{"id": "s", "kind": "segments", \#(join), "segments": [\#(segments)]}"#)
        }
        func new(_ text: String) -> String { text.replacing("\"serial\": 1", with: "\"serial\": 2") }
        let (bare, whole) = (Updating.file("1"), Updating.file("1", of: "one"))
        #expect(try updating.text(of: old(bare, joined: "onetwo")) == new(old(whole, joined: "onetwo")))
        #expect(updating.warnings.isEmpty, "\(updating.warnings)")
        let elsewhere = "https://a.example/2"
        try check(unlink(folder["2"]), "unlink")
        #expect(
            try updating.text(of: old(bare, joined: "onetwo", second: elsewhere))
                == new(old(whole, joined: "onetwo", second: elsewhere)))
        #expect(
            updating.warnings.count == 1 && updating.warnings[0].contains("joinSHA256 stays"), "\(updating.warnings)")
        try folder.write("two".utf8, to: "2")
        // Whose digest proves that it is what it was.
        let sized = "{\"path\": \"1\", \"urls\": [\"1\"], \"sha256\": \"\(SHA256.digest(of: "one".utf8))\"}"
        #expect(
            try updating.text(of: old(sized, joined: "whatever"))?.contains("\(SHA256.digest(of: "whatever".utf8))")
                == true
        )
        #expect(try updating.text(of: old(bare, joined: "other")) == new(old(whole, joined: "onetwo")))
        #expect(updating.warnings.last?.contains("its version is still") == true, "\(updating.warnings)")
    }

    private func media(_ name: String, _ segments: String..., end: String = "#EXT-X-ENDLIST") throws {
        let lines = segments.map { "#EXTINF:1,\n\($0)\n" }.joined()
        try folder.write("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(lines)\(end)\n".utf8, to: name)
    }

    /// Nor what of it came since.
    @Test(arguments: ["", "#EXT-X-ENDLIST"]) func nothingOfAPresentationStandsForItself(end: String) throws {
        try media("film/v/index.m3u8", "1.ts", "2.ts", "missing.ts", end: end)
        try media("film/seek.m3u8", "seek.ts")
        try folder.write(
            "#EXTM3U\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"seek.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv/index.m3u8\n"
                .utf8,
            to: "film/master.m3u8")
        for name in ["film/v/1.ts", "film/v/2.ts", "film/seek.ts"] { try folder.write([], to: name) }
        let old = Updating.manifest(#"{"id": "film", "kind": "hls", "urls": ["film/master.m3u8"], "size": 9}"#)
        let updated = try updating.updated(old)
        #expect(updated.counts.renewed == 1 && updated.counts.added == 0, "\(updated.counts)")
        #expect(updating.warnings.isEmpty, "\(updating.warnings)")
    }

    /// A digest of a playlist that goes on would be wrong in a moment.
    @Test func aRecordingIsLeftAlone() throws {
        try media("live.m3u8", "1.ts", end: "")
        try folder.write([], to: "1.ts")
        let old = Updating.manifest(#"{"id": "live", "kind": "hls", "follow": 60, "urls": ["live.m3u8"]}"#)
        #expect(try updating.text(of: old) == nil)
    }

    @Test func aBrokenPresentationOfTheManifestIsTold() throws {
        try folder.write("broken".utf8, to: "film/index.m3u8")
        try folder.write([], to: "film/1.ts")
        let old = Updating.manifest(#"{"id": "film", "kind": "hls", "urls": ["film/index.m3u8"]}"#)
        let failure = #expect(throws: CreationProblem.self) { try updating.text(of: old) }
        guard case .brokenPresentation? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        let excluded = FileSelection(excluded: [try PathPattern("film/")])
        #expect(try updating.text(of: old, selection: excluded) == nil)
    }

    /// Of two variants one is a bundle by hand.
    @Test func aPresentationOfWhatTheManifestHasIsToldAndLeftOut() throws {
        try media("film/low.m3u8", "1.ts")
        try media("film/high.m3u8", "2.ts")
        try folder.write(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\nhigh.m3u8\n".utf8,
            to: "film/master.m3u8")
        for name in ["film/1.ts", "film/2.ts"] { try folder.write([], to: name) }
        let updated = try updating.updated(
            Updating.manifest(#"{"id": "film", "kind": "hls", "urls": ["film/low.m3u8"]}"#))
        #expect(updated.counts.completed == 1 && updated.counts.added == 0, "\(updated.counts)")
        #expect(updating.warnings.count == 1 && updating.warnings[0].contains("film/low.m3u8"), "\(updating.warnings)")
    }

    @Test func aNewPresentationIsABundle() throws {
        try folder.write("1".utf8, to: "a")
        try media("film/index.m3u8", "1.ts")
        try folder.write([], to: "film/1.ts")
        let old = Updating.manifest(Updating.files("film", Updating.file("a")))
        #expect(
            Updating.outline(try updating.text(of: old))?.contains(
                #"]}, {"id": "film-2", "kind": "hls", "urls": ["film/index.m3u8"]}"#) == true)
    }
}
