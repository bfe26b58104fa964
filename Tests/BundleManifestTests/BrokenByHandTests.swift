import BundleManifest
import Diagnostics
import Testing

/// Mistakes that people make who write manifests by hand. What is printed about each is all that they have to mend it by.
@Suite struct BrokenByHandTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let right: String
        let wrong: String
        let text: String

        init(_ right: String, _ wrong: String, _ text: String) {
            (self.right, self.wrong, self.text) = (right, wrong, text)
        }

        var testDescription: String { wrong }
    }

    private static let museum = #"""
        {
          "format": "larder/1",
          "id": "museum",
          "serial": 42,
          "created": "2026-11-29T00:00:00Z",
          "mirrors": ["https://a.example/content/", "https://b.example/content/"],
          "bundles": [
            {
              "id": "gallery",
              "kind": "textures",
              "version": "7",
              "urls": ["gallery.zip"],
              "size": 73194614,
              "sha256": "3f5a1c0e9b7d2468ace013579bdf02468ace13579bdf2468ace0f1e2d3c4b5a6",
              "unpack": {"strip": 1, "include": ["**/*.png"]}
            },
            {
              "id": "guide",
              "kind": "ebook",
              "urls": ["guide.epub"],
              "sha256": "77aa1c0e9b7d2468ace013579bdf02468ace13579bdf2468ace0f1e2d3c4b5a6",
              "after": ["gallery"]
            },
            {
              "id": "notes",
              "kind": "files",
              "files": [
                {"path": "docs/readme.txt", "urls": ["docs/readme.txt"], "sha256": "88aa1c0e9b7d2468ace013579bdf02468ace13579bdf2468ace0f1e2d3c4b5a6"}
              ]
            }
          ]
        }

        """#

    static let mistakes = [
        Mistake(
            #"["guide.epub"]"#, #"["guide.epub]"#,
            #"""
            m.json:20:16: error[J017]: the closing quote of this string is missing
               20 |       "urls": ["guide.epub],
                  |                ^~~~~~~~~~~
              hint: write " where it ends
            """#),
        Mistake(
            #""urls": ["gallery.zip"],"#, #""urls": ["gallery.zip","#,
            #"""
            m.json:12:29: error[J010]: a closing "]" is missing before this place
               12 |       "urls": ["gallery.zip",
                  |                             ^
            m.json:12:15: note: an array is opened here
               12 |       "urls": ["gallery.zip",
                  |               ^
            """#),
        Mistake(
            #""path": "docs/readme"#, #""path": "docs\readme"#,
            #"""
            m.json:28:18: error[P004]: the path "docs\readme.txt" has "\r" in it (at $.bundles[2].files[0].path)
               28 |         {"path": "docs\readme.txt", "urls": ["docs/readme.txt"], "s…
                  |                  ^~~~~~~~~~~~~~~~~
              hint: folders are separated by /; in JSON a backslash and a letter make a control character
            """#),
        Mistake(
            #"73194614"#, #"73,194,614"#,
            #"""
            m.json:13:15: error[J021]: "73,194,614": JSON has no commas between digits
               13 |       "size": 73,194,614,
                  |               ^~~~~~~~~~
              hint: write 73194614
            """#),
        Mistake(
            #""museum""#, #"“museum”"#,
            #"""
            m.json:3:9: error[J015]: strings stand in double quotes, not in typographic ones
                3 |   "id": “museum”,
                  |         ^~~~~~~~
              hint: write " before and after it
            """#),
        Mistake(
            #"    },\#n    {\#n      "id": "guide""#, #"    }\#n    {\#n      "id": "guide""#,
            #"""
            m.json:17:5: error[J006]: a comma is missing before this
               17 |     {
                  |     ^
            """#),
        Mistake(
            #"c4b5a6",\#n      "after""#, #"c4b5a6  guide.epub",\#n      "after""#,
            #"""
            m.json:21:17: error[S015]: "77aa1c0e9b7d2468ace013579bdf02468ace13579bdf2468ace0f1e2d3c4b5a6  guide.epub" is not a SHA-256 (at $.bundles[1].sha256)
               21 |       "sha256": "77aa1c0e9b7d2468ace013579bdf02468ace13579bdf2468a…
                  |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
              hint: leave out what follows the 64 digits
            """#),
        Mistake(
            #""sha256": "77"#, #""sha265": "77"#,
            #"""
            m.json:17:5: warning[S021]: this download has no digest, so nobody can tell whether its bytes are the right ones (at $.bundles[1])
               17 |     {
                  |     ^
              hint: add "sha256"

            m.json:21:7: error[S003]: a bundle has no key "sha265" (at $.bundles[1].sha265)
               21 |       "sha265": "77aa1c0e9b7d2468ace013579bdf02468ace135…
                  |       ^~~~~~~~
              hint: did you mean "sha256"?
            """#),
        Mistake(
            #"      "kind": "ebook",\#n"#, #""#,
            #"""
            m.json:17:5: error[S002]: a bundle needs the key "kind" (at $.bundles[1])
               17 |     {
                  |     ^
              hint: add "kind": one of archive, textures, ebook, hls, segments, files
            """#),
        Mistake(
            #""after": ["gallery"]"#, #""after": ["galery"]"#,
            #"""
            m.json:22:17: error[S012]: there is no bundle "galery" in this manifest (at $.bundles[1].after[0])
               22 |       "after": ["galery"]
                  |                 ^~~~~~~~
              hint: did you mean "gallery"?
            """#),
        Mistake(
            #"https://a.example"#, #"htps://a.example"#,
            #"""
            m.json:6:15: error[U004]: the scheme "htps" is none of http, https and file (at $.mirrors[0])
                6 |   "mirrors": ["htps://a.example/content/", "https://b.example/co…
                  |               ^~~~~~~~~~~~~~~~~~~~~~~~~~~
              hint: did you mean https?
            """#),
        Mistake(
            #"["guide.epub"]"#, #""guide.epub""#,
            #"""
            m.json:20:15: error[S001]: expected an array of URLs, found a string (at $.bundles[1].urls)
               20 |       "urls": "guide.epub",
                  |               ^~~~~~~~~~~~
              hint: write [ ] around it, if there is only one
            """#),
        Mistake(
            "    },\n    {\n      \"id\": \"guide\"", "    {\n      \"id\": \"guide\"",
            #"""
            m.json:15:54: error[J010]: a closing "}" is missing before this place
               15 |       "unpack": {"strip": 1, "include": ["**/*.png"]}
                  |                                                      ^
            m.json:8:5: note: an object is opened here
                8 |     {
                  |     ^

            m.json:16:5: error[J006]: a comma is missing before this
               16 |     {
                  |     ^
            """#),
        Mistake(
            #""version": "7""#, #""title": "The "Big" Gallery""#,
            #"""
            m.json:11:16: error[J006]: the text goes on behind the quote that ends it
               11 |       "title": "The "Big" Gallery",
                  |                ^~~~~~~~~~~~~~~~~~~
              hint: a quote within a text is written \"
            """#),
        Mistake(
            #""77aa"#, #""sha256:77aa"#,
            #"""
            m.json:21:17: error[S015]: "sha256:77aa1c0e9b7d2468ace013579bdf02468ace13579bdf2468ace0f1e2d3c4b5a6" is not a SHA-256 (at $.bundles[1].sha256)
               21 |       "sha256": "sha256:77aa1c0e9b7d2468ace013579bdf02468ace13579b…
                  |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
              hint: leave out what precedes the 64 digits
            """#),
        Mistake(
            #""gallery.zip""#, #"" gallery.zip""#,
            #"""
            m.json:12:16: error[U002]: a URL can't have " " in it (at $.bundles[0].urls[0])
               12 |       "urls": [" gallery.zip"],
                  |                ^~~~~~~~~~~~~~
              hint: leave it out
            """#),
        Mistake(
            #"73194614"#, #""73 MB""#,
            #"""
            m.json:13:15: error[S001]: expected a whole number of bytes, at least 0, found a string (at $.bundles[0].size)
               13 |       "size": "73 MB",
                  |               ^~~~~~~
              hint: write plain digits, without quotes and without a unit
            """#),
        Mistake(
            #"{"strip": 1, "include": ["**/*.png"]}"#, "true",
            #"""
            m.json:15:17: error[S001]: expected unpack, found a boolean (at $.bundles[0].unpack)
               15 |       "unpack": true
                  |                 ^~~~
              hint: write it as {"format": …}
            """#),
        Mistake(
            #"{"path": "docs/readme.txt", "urls": ["docs/readme.txt"], "sha256": "88aa1c0e9b7d2468ace013579bdf02468ace13579bdf2468ace0f1e2d3c4b5a6"}"#,
            #""docs/readme.txt""#,
            #"""
            m.json:28:9: error[S001]: expected a file, found a string (at $.bundles[2].files[0])
               28 |         "docs/readme.txt"
                  |         ^~~~~~~~~~~~~~~~~
              hint: write it as {"path": …, "urls": …}
            """#),
        Mistake(
            #""gallery.zip""#, #""ftp://a.example/gallery.zip""#,
            #"""
            m.json:12:16: error[U004]: the scheme "ftp" is none of http, https and file (at $.bundles[0].urls[0])
               12 |       "urls": ["ftp://a.example/gallery.zip"],
                  |                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
              hint: serve it over https or http
            """#),
        Mistake(
            "2026-11-29T00:00:00Z", "29.11.2026",
            #"""
            m.json:5:14: error[S009]: "29.11.2026" is not a time in UTC (at $.created)
                5 |   "created": "29.11.2026",
                  |              ^~~~~~~~~~~~
              hint: write it as 2026-11-29T00:00:00Z
            """#),
        Mistake(
            "https://b.example", "https:/b.example",
            #"""
            m.json:6:45: error[U006]: the URL names no host (at $.mirrors[1])
                6 |   "mirrors": ["https://a.example/content/", "https:/b.example/content/"],
                  |                                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~
              hint: write https://HOST/PATH
            """#),
        Mistake(
            museum, "format: larder/1\nid: museum\nserial: 42\n",
            #"""
            m.json:1:1: error[J014]: "format" is no JSON value
                1 | format: larder/1
                  | ^~~~~~
              hint: this looks like another format: JSON begins with {, and keys stand in double quotes
            """#),
        Mistake(
            museum, "<!DOCTYPE html>\n<title>404</title>\n",
            #"""
            m.json:1:1: error[J004]: unexpected "<!" where JSON should begin
                1 | <!DOCTYPE html>
                  | ^~
              hint: this looks like HTML or XML
            """#),
        Mistake(
            museum, #"{"format": "larder/1", "id": "m", "serial": 42, "bundles": {"guide": {"kind": "ebook"}}}"#,
            #"""
            m.json:1:60: error[S001]: expected an array of bundles, found an object (at $.bundles)
                1 | {"format": "larder/1", "id": "m", "serial": 42, "bundles": {"guide": {"kind": "ebook"}}}
                  |                                                            ^
              hint: write a list, [ ], of the objects in it, and what are keys here into them
            """#),
        Mistake(
            museum, museum + museum,
            #"""
            m.json:33:1: error[J012]: text after the end of the value
               33 | {
                  | ^
              hint: one text holds one value: a second one needs a file of its own
            """#),
    ]

    @Test(arguments: mistakes)
    func theMessageAloneIsEnoughToMendIt(_ mistake: Mistake) {
        #expect(decode(Self.museum).diagnostics.isEmpty)
        let source = SourceText(name: "m.json", text: Self.museum.replacing(mistake.right, with: mistake.wrong))
        let (manifest, diagnostics) = Manifest.decode(source)
        let renderer = DiagnosticTextRenderer(LineIndex(source), of: diagnostics)
        #expect(manifest == nil)
        #expect(diagnostics.map(renderer.block).joined(separator: "\n\n") == mistake.text)
    }
}
