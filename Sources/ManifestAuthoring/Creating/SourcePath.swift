import BundleManifest
import Platform

/// How a file's path is written in a manifest.
enum SourcePath {
    /// In Unicode's composed form, as readers type names; the URL keeps the bytes that the file has.
    static func path(_ path: RelativePath) -> String { composed(path.bytes) }

    static func composed(_ path: [UInt8]) -> String { PortableNames.composed(String(decoding: path, as: UTF8.self)) }

    /// As a relative reference (RFC 3986 §4.2): all is percent-encoded that isn't unreserved, so that no name looks like a scheme or a query.
    static func url(_ path: RelativePath) -> String {
        guard !path.bytes.allSatisfy(isPlain) else { return String(decoding: path.bytes, as: UTF8.self) }
        var url: [UInt8] = []
        for byte in path.bytes {
            if isPlain(byte) { url.append(byte) } else { url += [UInt8(ascii: "%"), hex(byte >> 4), hex(byte & 15)] }
        }
        return String(decoding: url, as: UTF8.self)
    }

    /// The file that a relative URL without dot segments leads to, whatever stands in its query.
    static func file(at url: some Sequence<UInt8>) throws(PathProblem) -> RelativePath {
        try RelativePath(percentDecoded(url.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func hex(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
