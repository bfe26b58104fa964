import BundleManifest
import JSONSyntax
import Platform

/// What lists the segments of a bundle whose segments are kept as files: `index.m3u8` for players, `index.json` for programs.
struct SegmentIndex {
    let segments: [SegmentEntry]
    /// Of each segment, in the same order.
    let contents: [(sizeBytes: Int64, digest: SHA256Digest)]

    /// Raised whenever the same segments would be listed differently: every library then writes its lists anew.
    static let version = 1

    static let playlistName = "index.m3u8"
    static let listName = "index.json"

    private var durations: [Duration]? {
        let known = segments.compactMap(\.duration)
        return known.count == segments.count ? known : nil
    }

    /// A media playlist (RFC 8216) where all durations are known, else one that only names the segments (`#EXTINF:-1`), which players of HLS
    /// refuse and others take.
    var playlist: [UInt8] {
        var lines = ["#EXTM3U"]
        if let durations {
            // EXT-X-TARGETDURATION: no duration, rounded, may be above it (RFC 8216 §4.3.3.1).
            let longest = durations.map { Int($0.inSeconds.rounded()) }.max() ?? 0
            lines += [
                "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:\(max(1, longest))", "#EXT-X-MEDIA-SEQUENCE:0",
                "#EXT-X-PLAYLIST-TYPE:VOD",
            ]
        }
        for segment in segments {
            let duration = durations == nil ? "-1" : Self.seconds(segment.duration ?? .zero)
            lines += ["#EXTINF:\(duration),", segment.path.percentEncodedPath]
        }
        if durations != nil { lines.append("#EXT-X-ENDLIST") }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// `format` (`larder-segments/1`), `durationSeconds` (null where one is unknown) and `segments`: `path`, `size`, `sha256`, `duration` or null.
    var list: [UInt8] {
        var writer = JSONWriter(.pretty)
        writer.object { root in
            root.member("format", "larder-segments/1")
            root.member("durationSeconds", durations.map { $0.reduce(.zero, +).inSeconds })
            root.array("segments") { array in
                for (segment, content) in zip(segments, contents) {
                    array.object { entry in
                        entry.member("path", segment.path)
                        entry.member("size", content.sizeBytes)
                        entry.member("sha256", content.digest.description)
                        entry.member("duration", segment.duration?.inSeconds)
                    }
                }
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// All that the lists say beside paths and digests.
    var optionsDigest: SHA256Digest {
        let durations = segments.map { $0.duration.map(Self.seconds) ?? "" }
        return SHA256.digest(of: "\(Self.version)\n\(durations.joined(separator: "\n"))".utf8)
    }

    /// Seconds with up to six decimals.
    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        var micros = String(attoseconds / 1_000_000_000_000 + 1_000_000).dropFirst()
        while micros.last == "0", micros.count > 1 { micros.removeLast() }
        return "\(seconds).\(micros)"
    }

}
