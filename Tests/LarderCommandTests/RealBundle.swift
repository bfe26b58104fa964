import Glibc
import TestSupport
import Testing

/// A media bundle that a Debian package installs.
struct RealBundle: Sendable {
    let id: String
    let kind: String
    let package: String
    let path: String

    /// 73 MB of textures and models: a zip, partly deflated, partly stored.
    static let textures = RealBundle(
        id: "textures", kind: "textures", package: "openarena-088-data",
        path: "/usr/share/games/openarena/baseoa/pak6-patch088.pk3")
    static let books = [
        RealBundle(
            id: "policy", kind: "ebook", package: "debian-policy", path: "/usr/share/doc/debian-policy/policy.epub"),
        RealBundle(
            id: "reference", kind: "ebook", package: "developers-reference",
            path: "/usr/share/developers-reference/developers-reference.epub"),
    ]
    static let all = [textures] + books

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// - Throws: `MissingBundle`: a skipped test would prove nothing.
    var sizeBytes: Int {
        get throws {
            var status = stat()
            guard stat(path, &status) == 0 else { throw MissingBundle(bundle: self) }
            return Int(status.st_size)
        }
    }

    /// The bundle as a manifest has it, found beside the manifest.
    func manifestEntry() async throws -> String {
        let size = try sizeBytes
        let digest = try await ChildProcess.run("sha256sum", [path]).outputText.prefix(64)
        return """
            {"id": "\(id)", "kind": "\(kind)", "urls": ["\(name)"], "size": \(size), "sha256": "\(digest)"}
            """
    }
}

struct MissingBundle: Error, CustomStringConvertible {
    let bundle: RealBundle

    var description: String {
        """
        \(bundle.path) isn't there: install Debian's package \(bundle.package). `make test` does, and fetches the file from the package \
        where dpkg is told to leave documentation out.
        """
    }
}

/// The real bundles behind a real server, with a manifest that names them all.
struct RealBundleServer {
    let nginx: NginxServer
    private let directory: TemporaryDirectory

    init(limitRate: UInt64? = nil) async throws {
        directory = try TemporaryDirectory()
        var entries: [String] = []
        for bundle in RealBundle.all {
            entries.append(try await bundle.manifestEntry())
            try check(symlink(bundle.path, directory[bundle.name]), "symlink \(bundle.name)")
        }
        let manifest = """
            {"format": "larder/1", "id": "real", "serial": 1, "bundles": [\(entries.joined(separator: ", "))]}
            """
        try directory.write(manifest.utf8, to: "manifest.json")
        nginx = try await NginxServer(root: directory.path, limitRate: limitRate)
    }

    var manifestURL: String { nginx.url("/manifest.json") }

    /// How what a library published differs from the originals and from what `unzip` makes of them, a line a difference.
    func differences(inLibrary library: String) async throws -> [String] {
        let unzipped = try TemporaryDirectory()
        let result = try await ChildProcess.run("unzip", ["-q", RealBundle.textures.path, "-d", unzipped.path])
        try #require(result.status == .exited(0), "\(result)")
        var found = try treeDifferences(unzipped.path, "\(library)/current/real/\(RealBundle.textures.id)")
        for book in RealBundle.books {
            let published = try readFile("\(library)/current/real/\(book.id)/\(book.name)")
            if let difference = contentDifference(try readFile(book.path), published) {
                found.append("\(book.name): \(difference)")
            }
        }
        return found
    }
}
