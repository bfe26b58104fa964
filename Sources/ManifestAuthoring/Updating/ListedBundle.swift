import BundleManifest
import JSONSyntax
import Platform

/// A bundle as it stands in the text of a valid manifest. What is read of it are places: a manifest may have a million files.
struct ListedBundle {
    let place: JSONValue
    let kind: BundleKind

    init?(_ place: JSONValue) {
        guard let kind = place["kind"]?.string.flatMap(BundleKind.init) else { return nil }
        self.place = place
        self.kind = kind
    }

    var id: String { place["id"]?.string ?? "" }

    /// Its files or segments; nil where it is a single download.
    var list: JSONValue? {
        switch kind {
        case .files: place["files"]
        case .segments: place["segments"]
        case .archive, .textures, .ebook, .hls: nil
        }
    }

    /// Whether its playlist is one that goes on: a digest of it would be wrong in a moment.
    var isRecording: Bool { kind == .hls && (place["until"] != nil || place["follow"] != nil) }

    /// Calls `body` with each object that has URLs, in the order of the text.
    func forEachSource(_ body: (JSONValue) throws(CreationProblem) -> Void) throws(CreationProblem) {
        guard let list else { return try body(place) }
        for source in list.elements { try body(source) }
    }
}

extension JSONDocument {
    /// The list of a valid manifest's bundles.
    var bundleList: JSONValue { root["bundles"] ?? root }

    /// Whether a source of a valid manifest is named by a URL that leads nowhere without a base.
    var hasRelativeURLs: Bool {
        func isRelative(_ source: JSONValue) -> Bool {
            (source["urls"] ?? source).elements.contains { $0.string.map { !URLParts.hasScheme($0) } ?? false }
        }
        return listedBundles.contains { $0.list?.elements.contains(where: isRelative) ?? isRelative($0.place) }
    }

    /// Each bundle, in the order of the text.
    var listedBundles: some Sequence<ListedBundle> { bundleList.elements.lazy.compactMap(ListedBundle.init) }
}
