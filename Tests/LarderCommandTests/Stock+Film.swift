import FaultServer
import Platform
import TestSupport

/// A presentation, the bundle `film`.
extension Stock {
    func serve(_ path: String, _ bytes: [UInt8]) {
        server.serve(path, Resource(.bytes(bytes), etag: "\"\(SHA256.digest(of: bytes))\""))
    }

    /// - Parameters:
    ///   - more: further members of the bundle, each followed by a comma.
    ///   - mirrors: further members of the manifest, likewise.
    func serveFilm(_ url: String, more: String = "", serial: Int = 1, mirrors: String = "") {
        serveManifest(
            [#"{"id": "film", "kind": "hls", \#(more) "urls": ["\#(url)"]}"#], serial: serial, more: mirrors)
    }

    func filmText(_ name: String = "index.m3u8") throws -> String {
        String(decoding: try content("film/\(name)"), as: UTF8.self)
    }

    /// What a playlist of the copy names, in its order.
    func filmSegments(_ name: String = "index.m3u8") throws -> [[UInt8]] {
        try filmText(name).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try content("film/\($0)") }
    }

    /// Status and range of every request for a path.
    func requests(_ path: String) -> [String] {
        server.exchanges(path).map { "\($0.status ?? 0) \($0.request["Range"] ?? "whole")" }
    }
}

/// A transport stream of so many packets, as far as its sync bytes tell.
func stream(_ number: Int, packets: Int = 100) -> [UInt8] {
    (0..<packets).flatMap { packet in
        [0x47] + (1..<188).map { UInt8(truncatingIfNeeded: number &* 7 &+ packet &+ $0) }
    }
}
