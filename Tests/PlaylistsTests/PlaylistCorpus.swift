import Playlists
import TestSupport
import Testing

/// A playlist of `Tests/Corpus/hls` and what `EXPECTED.tsv` says of it.
struct CorpusPlaylist: Sendable, CustomTestStringConvertible {
    private static let directory =
        String(#filePath.dropLast("PlaylistsTests/PlaylistCorpus.swift".count)) + "Corpus/hls/"

    let path: String
    /// What it holds, in the form of ``PlaylistParser/Outcome/figures``; free words for those of `odd/`.
    let figures: String
    /// What is wrong with it by RFC 8216.
    let findings: [String]

    var testDescription: String { path }

    static let all: [CorpusPlaylist] = {
        let table = (try? readFile(directory + "EXPECTED.tsv")) ?? []
        return String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let parts = columns[2].split(separator: " | rfc: ", omittingEmptySubsequences: false)
            return CorpusPlaylist(
                path: columns[0], figures: String(parts[0]),
                findings: parts.count > 1 ? parts[1].split(separator: ";").map(String.init) : [])
        }
    }()

    static func bytes(_ path: String) throws -> [UInt8] { try readFile(directory + path) }

    static func parse(_ path: String, url: String = "https://example.com/list.m3u8") throws -> PlaylistParser.Outcome {
        PlaylistParser.parse(try bytes(path), .init(url: url))
    }
}

extension PlaylistParser.Outcome {
    var media: MediaPlaylist? {
        if case .media(let playlist) = playlist { playlist } else { nil }
    }

    var master: MasterPlaylist? {
        if case .master(let playlist) = playlist { playlist } else { nil }
    }

    func finds(_ rule: PlaylistRule) -> Bool { diagnostics.contains { $0.id == rule.id } }

    /// What the playlist holds, as `EXPECTED.tsv` writes it.
    var figures: String {
        switch playlist {
        case nil: "none"
        case .media(let playlist): playlist.figures
        case .master(let playlist):
            "master variants=\(playlist.variants.count) renditions=\(playlist.renditions.count) "
                + "iframes=\(playlist.iFrameStreams.count)"
        }
    }
}

extension MediaPlaylist {
    fileprivate var figures: String {
        let keys = Set(keySets.joined().map(\.uri)).count
        let counts = [
            ("segs", "\(segments.count)"), ("dur", Self.thousandths(duration)),
            ("target", targetDuration.map { "\($0.components.seconds)" } ?? ""), ("seq", "\(mediaSequence)"),
            ("endlist", hasEndList ? "1" : "0"), ("keys", "\(keys)"), ("maps", "\(maps.count)"),
            ("ranges", "\(segments.count { $0.byteRange != nil })"),
            ("disc", "\(segments.count { $0.isDiscontinuity })"), ("gaps", "\(segments.count { $0.isGap })"),
            ("parts", "\(partCount)"),
        ]
        let methods = Set(
            keySets.joined().map { key in
                key.method.name + (key.format == MediaKey.identityFormat ? "" : "/" + key.format)
            })
        return "media " + counts.map { "\($0)=\($1)" }.joined(separator: " ")
            + (methods.isEmpty ? "" : " method=" + methods.sorted().joined(separator: "+"))
    }

    private static func thousandths(_ duration: Duration) -> String {
        let (seconds, attoseconds) = (duration + .microseconds(500)).components
        let digits = String(attoseconds / 1_000_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
