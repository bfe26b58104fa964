import BundleManifest
import Platform

/// How a file's path is written in a manifest.
enum SourcePath {
    /// In Unicode's composed form, as readers type names; the URL keeps the bytes that the file has.
    static func path(_ path: RelativePath) -> String { composed(path.bytes) }

    static func composed(_ path: [UInt8]) -> String { PortableNames.composed(String(decoding: path, as: UTF8.self)) }

    /// As a relative reference (RFC 3986 §4.2): all is percent-encoded that isn't unreserved, so that no name looks like a scheme or a query.
    static func url(_ path: RelativePath) -> String { path.bytes.percentEncodedPath }

    /// The file that a relative URL without dot segments leads to, whatever stands in its query.
    static func file(at url: some Sequence<UInt8>) throws(PathProblem) -> RelativePath {
        try RelativePath(percentDecoded(url.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
    }
}
