import BundleManifest
import JSONSyntax
import Platform

/// Which files the URLs of a manifest lead to: those beneath the place where the files are served, however they are written.
struct SourceLocator {
    /// What relative URLs are joined to.
    private let bases: [URLParts]
    /// The URLs of the folder that all files lie in, as they are compared.
    private let served: [String]
    /// Where a server has that folder; nil: nobody knows.
    let serverURL: String?
    private let folders: [SourceFolder]
    /// By their places.
    private let numbers: [RelativePath?: Int]
    /// What stands before the path of a new file in its URL.
    let urlStart: String

    /// A file, and the number of the folder that it is in.
    struct File {
        let folder: Int
        let path: RelativePath
    }

    /// - Parameters:
    ///   - mirrors: the manifest's.
    ///   - place: the folder that the manifest lies in, as an absolute path behind links.
    ///   - base: where the files are served, with a slash at the end; nil: where relative URLs lead.
    init(_ sources: ManifestSources, mirrors: [URLReference], manifestIn place: [UInt8], servedAt base: String?) {
        let mirrors = mirrors.map { Self.folder($0.text) }
        let base = base.map(Self.folder)
        let (ownPlace, filesPlace) = (Self.fileURL(place), Self.fileURL(sources.base))
        bases = (mirrors.isEmpty ? [ownPlace, filesPlace] : mirrors).map { URLParts($0) }
        serverURL = base ?? mirrors.first
        served = ((base.map { [$0] } ?? mirrors) + [filesPlace]).map { URLParts($0).compared }
        urlStart = base.map { Self.start($0, mirrors) } ?? ""
        folders = sources.folders
        numbers = Dictionary(
            sources.folders.enumerated().map { ($1.place, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Where the URLs of a source lead among the files, in their order, whether anything is there or not.
    func files(of source: JSONValue) -> [File] {
        var found: [RelativePath] = []
        for url in (source["urls"] ?? source).elements {
            guard let reference = url.string.map({ URLParts($0) }), let file = file(at: reference),
                !found.contains(file)
            else { continue }
            found.append(file)
        }
        return found.compactMap(file)
    }

    /// Where a URL leads beneath the folder that all files lie in, by the first base that it does by.
    private func file(at reference: URLParts) -> RelativePath? {
        for base in bases {
            let url = reference.resolved(against: base).compared
            for start in served where url.utf8.starts(with: start.utf8) {
                if let file = try? SourcePath.file(at: url.utf8.dropFirst(start.utf8.count)) { return file }
            }
        }
        return nil
    }

    /// What a file is called beneath the folder that URLs are relative to.
    func place(of file: File) -> RelativePath { folders[file.folder].placed(file.path) }

    /// Nil for what lies in none of the folders, or isn't one of the files that were named.
    private func file(at place: RelativePath) -> File? {
        var parent = place.parent
        while true {
            if let number = numbers[parent] {
                let path = RelativePath(checked: place.bytes.dropFirst(parent.map { $0.bytes.count + 1 } ?? 0))
                return folders[number].holds(path) ? File(folder: number, path: path) : nil
            }
            guard let folder = parent else { return nil }
            parent = folder.parent
        }
    }

    /// What the URLs of files begin with that are served at `base`: relative where they can be, as the others are.
    private static func start(_ base: String, _ mirrors: [String]) -> String {
        let compared = URLParts(base).compared
        for mirror in mirrors.map({ URLParts($0).compared }) where compared.utf8.starts(with: mirror.utf8) {
            return String(decoding: compared.utf8.dropFirst(mirror.utf8.count), as: UTF8.self)
        }
        return base
    }

    /// A URL without dot segments, and without what stands behind its last slash (RFC 3986 §5.2).
    private static func folder(_ url: String) -> String { URLParts("./").resolved(against: URLParts(url)).text }

    private static func fileURL(_ folder: [UInt8]) -> String {
        "file:///" + ((try? RelativePath(Array(folder.dropFirst()))).map { SourcePath.url($0) + "/" } ?? "")
    }
}

extension SourceFolder {
    /// What a file of the folder is called beneath the folder that URLs are relative to.
    func placed(_ file: RelativePath) -> RelativePath {
        guard let place else { return file }
        // Too long only for the system to have opened it.
        return (try? place.appending(file)) ?? file
    }
}
