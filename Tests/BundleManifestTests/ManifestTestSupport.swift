import BundleManifest
import Diagnostics
import JSONSyntax

let digestText = String(repeating: "0123456789abcdef", count: 4)

func decode(
    _ text: String, _ options: ManifestDecodingOptions = ManifestDecodingOptions()
) -> (manifest: Manifest?, diagnostics: [Diagnostic]) {
    Manifest.decode(SourceText(name: "m.json", text: text), options: options)
}

/// `ID PATH` of each finding, in the order of the text.
func findings(_ text: String, _ options: ManifestDecodingOptions = ManifestDecodingOptions()) -> [String] {
    decode(text, options).diagnostics.map { "\($0.id) \($0.path ?? "-")" }
}

/// A manifest that is fine but for what is put in.
func manifest(bundles: String = "[\(ebook())]", more: String = "") -> String {
    "{\"format\": \"larder/1\", \"id\": \"m\", \"serial\": 1, \"bundles\": \(bundles)\(more)}"
}

func ebook(_ more: String = "", id: String = "b") -> String {
    "{\"id\": \"\(id)\", \"kind\": \"ebook\", \"urls\": [\"b.epub\"], \"sha256\": \"\(digestText)\"\(more)}"
}

func files(_ paths: String...) -> String {
    let entries = paths.map { "{\"path\": \($0), \"urls\": [\"u\"], \"sha256\": \"\(digestText)\"}" }
    return "[{\"id\": \"b\", \"kind\": \"files\", \"files\": [\(entries.joined(separator: ", "))]}]"
}

/// Every kind of bundle with every key, but for a digest of the film.
let everyKind = """
    {
      "format": "larder/1", "id": "museum", "serial": 42, "created": "2026-11-29T00:00:00Z", "expires": null,
      "mirrors": ["https://a.example/content/", "https://b.example/content/"], "requires": [], "x-remark": {"any": [1]},
      "bundles": [
        {"id": "gallery", "title": "Gallery textures", "kind": "textures", "version": "7",
         "urls": ["gallery.zip", "https://c.example/g.zip"], "size": 73194614, "sha256": "\(digestText)", "filename": "g.zip",
         "unpack": {"format": "zip", "strip": 1, "include": ["**/*.png"], "exclude": ["**/tmp/**"], "preserve": false,
                    "limits": {"entries": 10, "bytes": 200000000, "entryBytes": 30, "ratio": 40.5, "depth": 5}},
         "priority": 3, "required": false, "after": ["guide"], "tags": ["big"], "headers": {"X-Site": "museum"}},
        {"id": "guide", "kind": "ebook", "urls": ["guide.epub"], "size": 396886, "sha256": "\(digestText.dropLast())b"},
        {"id": "film", "kind": "hls", "urls": ["film/master.m3u8"],
         "select": {"minBandwidth": 1000, "maxBandwidth": 3000000, "resolution": "1280x720", "codecs": ["avc1"], "frameRate": 30,
                    "audio": ["en"], "subtitles": ["de"], "all": false}},
        {"id": "radio", "kind": "segments", "join": "radio.mp3", "joinSHA256": "\(digestText)",
         "segments": [{"path": "000.mp3", "urls": ["radio/000.mp3"], "size": 96000, "sha256": "\(digestText.dropLast())c", "duration": 6.5}]},
        {"id": "notes", "kind": "files",
         "files": [{"path": "a/readme.txt", "urls": ["a/readme.txt"], "size": 120, "sha256": "\(digestText.dropLast())a", "x-y": 1}]}
      ]
    }
    """
