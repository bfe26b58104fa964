import BundleManifest
import Diagnostics
import Platform
import TestSupport

@testable import ManifestAuthoring

/// A folder, and a manifest of it that is brought up to date.
struct Updating {
    let folder: TemporaryDirectory
    private let warned = Locked<[String]>([])

    init() throws { folder = try TemporaryDirectory() }

    var warnings: [String] { warned.withLock { $0 } }

    /// - Parameters:
    ///   - old: the manifest's text.
    ///   - paths: what it is held against, in the folder.
    ///   - place: the folder that the manifest lies in; nil: the one that is held against it.
    /// - Returns: nil where nothing changed.
    func text(
        of old: String, _ paths: [String] = [""], in place: String? = nil, base: String? = nil, prunes: Bool = false,
        selection: FileSelection = FileSelection()
    ) throws -> String? {
        try updated(old, paths, in: place, base: base, prunes: prunes, selection: selection).change
            .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    func updated(
        _ old: String, _ paths: [String] = [""], in place: String? = nil, base: String? = nil, prunes: Bool = false,
        selection: FileSelection = FileSelection()
    ) throws -> UpdatedManifest {
        let observer = CreationObserver(
            shouldStop: { false }, didFind: { _, _ in }, didRead: { _ in },
            warn: { [warned] line in warned.withLock { $0.append(line) } })
        var options = ManifestUpdate.Options(created: Timestamp(seconds: 86400))
        (options.base, options.prunes) = (base, prunes)
        var sources = try ManifestSources(paths.map { folder[$0] })
        let manifestFolder = ResolvedPath(place ?? folder.path).bytes
        let decoded = DecodedManifest(
            SourceText(name: "m.json", text: old), options: ManifestDecodingOptions(allowsFileURLs: true))
        if decoded.mirrors.isEmpty { _ = sources.setBase(manifestFolder) }
        guard let update = ManifestUpdate(decoded, in: manifestFolder, sources, selection, options, observer) else {
            throw Invalid(diagnostics: decoded.diagnostics)
        }
        return try update.run()
    }

    struct Invalid: Error { let diagnostics: [Diagnostic] }

    /// A file of a list, with its size and digest where it has content.
    static func file(_ path: String, _ url: String? = nil, of content: String? = nil) -> String {
        let more = content.map { ", " + facts(of: $0) } ?? ""
        return "{\"path\": \"\(path)\", \"urls\": [\"\(url ?? path)\"]\(more)}"
    }

    /// A bundle of the kind `files`.
    static func files(_ id: String, _ files: String...) -> String {
        "{\"id\": \"\(id)\", \"kind\": \"files\", \"files\": [\(files.joined(separator: ", "))]}"
    }

    /// A manifest with the id `m` of bundles.
    static func manifest(_ bundles: String..., serial: Int = 1, more: String = "") -> String {
        #"{"format": "larder/1", "id": "m", "serial": \#(serial), \#(more)"bundles": ["#
            + bundles.joined(separator: ", ") + "]}"
    }

    /// The text without sizes and digests, and with the serial `n`, for tests of all else.
    static func outline(_ text: String?) -> String? {
        text?.replacing(/, ?"size": ?\d+/, with: "").replacing(/, ?"sha256": ?"[0-9a-f]{64}"/, with: "")
            .replacing(/"serial": \d+/, with: "\"serial\": n")
    }
}

/// The members `size` and `sha256` of some content, as JSON.
func facts(of text: String, colon: String = ": ", separator: String = ", ") -> String {
    "\"size\"\(colon)\(text.utf8.count)\(separator)\"sha256\"\(colon)\"\(SHA256.digest(of: text.utf8))\""
}
