import BundleManifest
import Platform
import Testing

/// What is doubtful about a manifest that can be followed.
@Suite struct ManifestDoubtTests {
    @Test func anExpiredManifestIsWarnedOfWhereTheTimeIsKnown() {
        let text = manifest(more: ", \"expires\": \"2026-11-29T00:00:00Z\"")
        var options = ManifestDecodingOptions()
        #expect(findings(text, options) == [])
        options.now = Timestamp(rfc3339: "2026-11-28T23:59:59Z")
        #expect(findings(text, options) == [])
        options.now = Timestamp(rfc3339: "2026-11-29T00:00:00Z")
        #expect(findings(text, options) == ["S024 $.expires"])
    }

    /// A dot in a folder's name is no extension, and its digits are no number of a segment.
    @Test func segmentsAreNamedByTheLastComponent() {
        func list(_ paths: [String]) -> String {
            let entries = paths.enumerated().map { number, path in
                "{\"path\": \"\(path)\", \"urls\": [\"\(number)\"], \"sha256\": \"\(digestText)\", \"duration\": 6}"
            }
            return manifest(
                bundles: "[{\"id\": \"b\", \"kind\": \"segments\", \"segments\": [\(entries.joined(separator: ","))]}]")
        }
        #expect(findings(list(["v1.0/a", "v2.1/b"])) == [])
        #expect(findings(list(["s1/a", "s2/b", "s9/c"])) == [])
        #expect(findings(list(["a.ts", "v1.0/b"])) == ["L004 $.bundles[0].segments[1].path"])
    }

    @Test func namesAndSizesThatOtherSystemsDoNotTakeAreNoted() {
        var options = ManifestDecodingOptions()
        options.tellsNotes = true
        let mirrors = ", \"mirrors\": [\"https://a.example/\", \"https://b.example/\"]"
        func notes(_ bundle: String, _ more: String = mirrors) -> [String] {
            findings(manifest(bundles: "[\(bundle)]", more: more), options)
        }
        #expect(notes(ebook(id: "aux")) == ["P014 $.bundles[0].id"])
        // An accent on a slash is none: paths are bytes.
        let accent = files("\"con/\u{301}x\"")
        #expect(findings(manifest(bundles: accent, more: mirrors), options) == ["P014 $.bundles[0].files[0].path"])
        #expect(notes(ebook(", \"size\": 4294967296")) == ["P015 $.bundles[0].size"])
        let archive = ebook(", \"size\": 4294967296").replacing("\"ebook\"", with: "\"archive\"")
        #expect(notes(archive) == [])
        let segments = (0..<2).map {
            "{\"path\": \"\($0).ts\", \"urls\": [\"\($0)\"], \"sha256\": \"\(digestText.dropLast())\($0)\", \"size\": 4294967295}"
        }
        let list = "\"kind\": \"segments\", \"segments\": [\(segments.joined(separator: ","))]"
        #expect(notes("{\"id\": \"b\", \(list)}") == [])
        #expect(notes("{\"id\": \"b\", \"join\": \"b.ts\", \(list)}") == ["P015 $.bundles[0].join"])
    }

    /// Of an absolute URL there is one, however many mirrors there are; of a relative one as many.
    @Test func aSourceIsSingleByItsURLsAndTheMirrors() {
        var options = ManifestDecodingOptions()
        options.tellsNotes = true
        let mirrors = ", \"mirrors\": [\"https://a.example/\", \"https://b.example/\"]"
        let absolute = ebook().replacing("b.epub", with: "https://c.example/b.epub")
        #expect(findings(manifest(bundles: "[\(absolute)]", more: mirrors), options) == ["U012 $.bundles[0]"])
        #expect(findings(manifest(more: mirrors), options) == [])
        #expect(findings(manifest(), options) == ["U012 $.bundles[0]"])
    }
}
