import BundleManifest
import Platform
import Testing

@testable import Jobs

@Suite struct SegmentIndexTests {
    private func index(_ segments: String) throws -> SegmentIndex {
        let bundle = try bundles(#"{"id": "radio", "kind": "segments", "segments": [\#(segments)]}"#)[0]
        guard case .segments(let list) = bundle.content else { throw Unexpected() }
        return SegmentIndex(
            segments: list.segments,
            contents: list.segments.map { (7, SHA256.digest(of: $0.path.utf8)) })
    }

    private struct Unexpected: Error {}

    private func segment(_ path: String, duration: String? = nil) -> String {
        #"{"path": "\#(path)", "urls": ["https://a.example/s"]\#(duration.map { ", \"duration\": \($0)" } ?? "")}"#
    }

    @Test func knownDurationsMakeAMediaPlaylist() throws {
        let index = try index(
            [segment("a 1.ts", duration: "6.006"), segment("b/2.ts", duration: "5"), segment("c.ts", duration: "6.5")]
                .joined(separator: ","))
        #expect(
            String(decoding: index.playlist, as: UTF8.self) == """
                #EXTM3U
                #EXT-X-VERSION:3
                #EXT-X-TARGETDURATION:7
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXTINF:6.006,
                a%201.ts
                #EXTINF:5.0,
                b/2.ts
                #EXTINF:6.5,
                c.ts
                #EXT-X-ENDLIST

                """)
    }

    @Test func anUnknownDurationMakesAListThatOnlyNamesTheSegments() throws {
        let index = try index([segment("a.ts", duration: "6"), segment("b.ts")].joined(separator: ","))
        #expect(
            String(decoding: index.playlist, as: UTF8.self) == "#EXTM3U\n#EXTINF:-1,\na.ts\n#EXTINF:-1,\nb.ts\n")
        #expect(String(decoding: index.list, as: UTF8.self).contains(#""durationSeconds": null"#))
    }

    /// What would be taken for a tag or a scheme.
    @Test(arguments: [("#1.ts", "%231.ts"), ("a:b.ts", "a%3Ab.ts"), ("ä.ts", "%C3%A4.ts")])
    func pathsAreReferences(path: String, reference: String) throws {
        #expect(try String(decoding: index(segment(path)).playlist, as: UTF8.self).hasSuffix(",\n\(reference)\n"))
    }

    @Test(arguments: [
        (Duration.seconds(6), "6.0"), (.milliseconds(6006), "6.006"), (.microseconds(1), "0.000001"),
        (.nanoseconds(1), "0.0"), (.zero, "0.0"), (.seconds(1_000_000_000), "1000000000.0"),
    ])
    func secondsAreDecimal(duration: Duration, text: String) { #expect(SegmentIndex.seconds(duration) == text) }

    @Test func theListsArePartOfWhatContentIs() throws {
        let one = try index(segment("a.ts", duration: "6"))
        #expect(try one.optionsDigest == index(segment("a.ts", duration: "6.0")).optionsDigest)
        #expect(try one.optionsDigest != index(segment("a.ts", duration: "5")).optionsDigest)
        #expect(try one.optionsDigest != index(segment("a.ts")).optionsDigest)
    }
}
