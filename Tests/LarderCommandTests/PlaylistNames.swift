/// What a playlist names, read without Larder's own parser: lines as RFC 8216 has them.
struct PlaylistNames {
    /// Of media playlists: those of the variants first, then those of renditions; empty for a media playlist.
    private(set) var playlists: [String] = []
    private(set) var segments: [Segment] = []

    struct Segment {
        let uri: String
        let number: UInt64
        let key: (uri: String, vector: [UInt8]?)?
        let section: String?
    }

    init(_ text: String) {
        var renditions: [String] = []
        var number: UInt64 = 0
        var key: (String, [UInt8]?)?
        var section: String?
        let isMaster = text.contains("#EXT-X-STREAM-INF")
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("#EXT-X-MEDIA:") {
                renditions += [Self.value(of: "URI", in: line)].compactMap(\.self)
            } else if line.hasPrefix("#EXT-X-MEDIA-SEQUENCE:") {
                number = UInt64(line.split(separator: ":")[1]) ?? 0
            } else if line.hasPrefix("#EXT-X-KEY:") {
                key = Self.value(of: "URI", in: line).map { ($0, Self.value(of: "IV", in: line).map(Self.vector)) }
            } else if line.hasPrefix("#EXT-X-MAP:") {
                section = Self.value(of: "URI", in: line)
            } else if !line.hasPrefix("#"), isMaster {
                playlists.append(String(line))
            } else if !line.hasPrefix("#") {
                segments.append(Segment(uri: String(line), number: number, key: key, section: section))
                number += 1
            }
        }
        playlists += renditions
    }

    private static func value(of name: String, in line: Substring) -> String? {
        guard let start = line.firstRange(of: "\(name)=")?.upperBound else { return nil }
        let rest = line[start...]
        return rest.first == "\""
            ? rest.dropFirst().prefix { $0 != "\"" }.description : rest.prefix { $0 != "," }.description
    }

    /// - Parameter text: `0x` and 32 digits.
    private static func vector(_ text: String) -> [UInt8] {
        let digits = Array(text.dropFirst(2))
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
