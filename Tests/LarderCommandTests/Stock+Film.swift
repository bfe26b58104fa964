import FaultServer
import Platform
import TestSupport

/// A presentation, the bundle `film`.
extension Stock {
    func serve(_ path: String, _ bytes: [UInt8]) {
        server.serve(path, Resource(.bytes(bytes), etag: "\"\(SHA256.digest(of: bytes))\""))
    }

    func serve(_ path: String, text: String) { serve(path, Array(text.utf8)) }

    func serveSegments(_ numbers: Range<Int>, folder: String = "/f") {
        for number in numbers { serve("\(folder)/s\(number).ts", stream(number)) }
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

    func requestCounts(_ numbers: Range<Int>) -> [Int] { numbers.map { server.exchanges("/f/s\($0).ts").count } }

    /// How often each body was sent.
    func sentCounts(_ numbers: Range<Int>) -> [Int] {
        numbers.map { number in server.exchanges("/f/s\(number).ts").count { $0.status == 200 } }
    }

    /// Status and range of every request for a path.
    func requests(_ path: String) -> [String] {
        server.exchanges(path).map { "\($0.status ?? 0) \($0.request["Range"] ?? "whole")" }
    }
}

/// A playlist of segments that `serveSegments` serves.
func mediaPlaylist(_ segments: Range<Int>, tags: String = "", isLive: Bool = false) -> String {
    let lines = segments.map { "#EXTINF:6.0,\ns\($0).ts\n" }.joined()
    return "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n\(tags)\(lines)" + (isLive ? "" : "#EXT-X-ENDLIST\n")
}

/// A transport stream of so many packets, as far as its sync bytes tell.
func stream(_ number: Int, packets: Int = 100) -> [UInt8] {
    (0..<packets).flatMap { packet in
        [0x47] + (1..<188).map { UInt8(truncatingIfNeeded: number &* 7 &+ packet &+ $0) }
    }
}
