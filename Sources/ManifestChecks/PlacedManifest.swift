import BundleManifest
import JSONSyntax

/// A valid manifest together with the places in its text that speak of each download.
struct PlacedManifest: Sendable {
    let id: BundleID
    /// What relative URLs are joined to.
    let mirrors: [URLReference]
    let document: JSONDocument
    private let decoded: DecodedManifest
    private let list: JSONValue

    /// - Returns: nil when it isn't valid.
    init?(_ decoded: DecodedManifest) {
        guard let document = decoded.document, let id = decoded.id, let list = document.root["bundles"] else {
            return nil
        }
        (self.id, mirrors, self.document, self.decoded, self.list) = (id, decoded.mirrors, document, decoded, list)
    }

    var bundleCount: Int { list.elementCount }

    /// In the order of the text, each decoded when it is asked for: all of them together may take more memory than the text.
    var bundles: some Sequence<PlacedBundle> {
        list.elements.lazy.compactMap { [decoded] place in decoded.bundle(at: place).map { PlacedBundle($0, place) } }
    }
}

/// A bundle and the object that describes it.
struct PlacedBundle: Sendable {
    let bundle: Bundle
    let place: JSONValue
    /// In the order of the manifest.
    let downloads: [PlacedDownload]

    init(_ bundle: Bundle, _ place: JSONValue) {
        self.bundle = bundle
        self.place = place
        func each(_ key: String, _ files: [(path: String, source: SourceFile)]) -> [PlacedDownload] {
            guard let list = place[key] else { return [] }
            return zip(files, list.elements).map { PlacedDownload(file: $0.source, path: $0.path, place: $1) }
        }
        downloads =
            switch bundle.content {
            case .archive(let package), .textures(let package), .ebook(let package):
                [PlacedDownload(file: package.source, path: nil, place: place)]
            case .hls(let presentation): [PlacedDownload(file: presentation.playlist, path: nil, place: place)]
            case .segments(let list): each("segments", list.segments.map { ($0.path, $0.source) })
            case .files(let entries): each("files", entries.map { ($0.path, $0.source) })
            }
    }
}

/// One thing to fetch and the object that describes it.
struct PlacedDownload: Sendable {
    let file: SourceFile
    /// Where it goes in the bundle; nil for the one download of a bundle.
    let path: String?
    /// What holds `urls`, `size` and `sha256`.
    let place: JSONValue

    /// Each URL with its place.
    var references: [(reference: URLReference, place: JSONValue)] {
        guard let list = place["urls"] else { return [] }
        return zip(file.urls, list.elements).map { ($0, $1) }
    }
}
