import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A server with the segments of a bundle `radio`, and a library that has it.
struct SegmentsStage {
    let stock: Stock

    init() throws { stock = try Stock() }

    func content(_ number: Int, version: Int = 0) -> Content {
        .pattern(lengthBytes: UInt64(20_000 + number), seed: UInt64(1000 * version + number))
    }

    /// Serves so many segments, and a manifest with a bundle `radio` of them.
    func serve(
        _ count: Int, changed: Set<Int> = [], hasDigests: Bool = true, duration: String = "6.006", join: String? = nil,
        joinDigest: String? = nil, serial: Int = 1
    ) {
        let segments = (0..<count).map { number -> String in
            let content = content(number, version: changed.contains(number) ? 1 : 0)
            stock.server.serve("/\(number).ts", Resource(content, etag: "\"\(content.sha256)\""))
            let digest = hasDigests ? #", "size": \#(content.lengthBytes), "sha256": "\#(content.sha256)""# : ""
            return #"{"path": "s/\#(number).ts", "urls": ["\#(number).ts"], "duration": \#(duration)\#(digest)}"#
        }
        var joining = join.map { #""join": "\#($0)","# } ?? ""
        if let joinDigest { joining += #" "joinSHA256": "\#(joinDigest)","# }
        stock.serveManifest(
            [#"{"id": "radio", "kind": "segments", \#(joining) "segments": [\#(segments.joined(separator: ",\n"))]}"#],
            serial: serial)
    }

    func file(_ name: String) throws -> [UInt8] { try stock.directory.read("library/current/m/radio/\(name)") }

    func inode(_ name: String) throws -> UInt64 {
        let file = try Platform.OwnedDescriptor.open(stock.library + "/current/m/radio/\(name)", flags: O_RDONLY)
        return try file.status().inode
    }

    func requests(_ count: Int) -> [Int] {
        (0..<count).map { stock.server.exchanges("/\($0).ts").count }
    }

    /// How often each segment's body was sent.
    func sentCounts(_ count: Int) -> [Int] {
        (0..<count).map { number in
            stock.server.exchanges("/\(number).ts").count { $0.status == 200 && $0.bodyBytesSent > 10 }
        }
    }

    var leftovers: [String] {
        get throws {
            try Directory.open(stock.library + "/.larder/staging").names().map(\.description).sorted()
        }
    }

    var journalLines: Int {
        get throws {
            try stock.directory.read("library/.larder/staging/1-journal").split(separator: UInt8(ascii: "\n")).count
        }
    }
}
