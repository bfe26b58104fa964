import BundleManifest
import Diagnostics
import Testing

@testable import Jobs

/// The bundles of a manifest, given as the text of each.
func bundles(_ texts: String...) throws -> [Bundle] {
    let text = #"{"format": "larder/1", "id": "m", "serial": 1, "bundles": [\#(texts.joined(separator: ", "))]}"#
    let source = SourceText(name: "m.json", bytes: Array(text.utf8))
    let (manifest, diagnostics) = Manifest.decode(source, options: ManifestDecodingOptions(allowsFileURLs: true))
    return try #require(manifest, "\(diagnostics)").bundles
}

/// A bundle kept whole, with further members.
func book(_ id: String, _ more: String = "") -> String {
    #"{"id": "\#(id)", "kind": "ebook", "urls": ["\#(id).epub"]\#(more.isEmpty ? "" : ", " + more)}"#
}
