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
