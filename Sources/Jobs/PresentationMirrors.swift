import BundleManifest
import Transfer

/// Where else the resources of a presentation may be had: what stands beneath one of the manifest's sources of the playlist, or beneath one of its
/// mirrors, is expected at the same place beneath the others, too.
struct PresentationMirrors: Sendable {
    /// Folders that stand for each other, with a final slash; those that tell most come first.
    private let groups: [[String]]

    init(_ manifest: LoadedManifest, _ playlist: SourceFile) {
        let sources = (try? manifest.sources(playlist)) ?? []
        let bases = (try? manifest.bases.urls(of: URLReference(absolute: "./"))) ?? []
        groups = [sources, bases].map { urls in
            // A path on this machine is nothing that a playlist from elsewhere could lead to.
            urls.filter { $0.scheme != "file" }.map { Self.folder($0.text) }
        }
    }

    /// - Parameter others: where it may be had besides.
    func source(_ url: String, _ others: [String] = []) -> SourceFile {
        var urls = [url] + others
        for url in urls { urls += mirrors(of: url).filter { !urls.contains($0) } }
        return SourceFile(urls: urls.map { URLReference(absolute: $0) }, sizeBytes: nil, digest: nil)
    }

    private func mirrors(of url: String) -> [String] {
        for group in groups {
            guard let folder = group.first(where: url.hasPrefix) else { continue }
            return group.filter { $0 != folder }.map { $0 + url.dropFirst(folder.count) }
        }
        return []
    }

    private static func folder(_ url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        return String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
