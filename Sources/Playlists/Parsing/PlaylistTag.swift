/// The tags that mean something here. All others are for somebody else, and ignored (RFC 8216 §6.3.1).
enum PlaylistTag: String, CaseIterable {
    case version = "EXT-X-VERSION"
    case define = "EXT-X-DEFINE"
    case independentSegments = "EXT-X-INDEPENDENT-SEGMENTS"
    case start = "EXT-X-START"

    case targetDuration = "EXT-X-TARGETDURATION"
    case mediaSequence = "EXT-X-MEDIA-SEQUENCE"
    case discontinuitySequence = "EXT-X-DISCONTINUITY-SEQUENCE"
    case endList = "EXT-X-ENDLIST"
    case playlistType = "EXT-X-PLAYLIST-TYPE"
    case iFramesOnly = "EXT-X-I-FRAMES-ONLY"
    case partInformation = "EXT-X-PART-INF"
    case serverControl = "EXT-X-SERVER-CONTROL"

    case segmentDuration = "EXTINF"
    case byteRange = "EXT-X-BYTERANGE"
    case discontinuity = "EXT-X-DISCONTINUITY"
    case key = "EXT-X-KEY"
    case map = "EXT-X-MAP"
    case programDateTime = "EXT-X-PROGRAM-DATE-TIME"
    case gap = "EXT-X-GAP"
    case bitrate = "EXT-X-BITRATE"
    case part = "EXT-X-PART"
    case dateRange = "EXT-X-DATERANGE"
    case skip = "EXT-X-SKIP"
    case preloadHint = "EXT-X-PRELOAD-HINT"
    case renditionReport = "EXT-X-RENDITION-REPORT"

    case media = "EXT-X-MEDIA"
    case streamInformation = "EXT-X-STREAM-INF"
    case iFrameStream = "EXT-X-I-FRAME-STREAM-INF"
    case sessionData = "EXT-X-SESSION-DATA"
    case sessionKey = "EXT-X-SESSION-KEY"
    case contentSteering = "EXT-X-CONTENT-STEERING"

    enum Owner { case either, media, master }

    /// Which kind of playlist it makes of the one it stands in.
    var owner: Owner {
        switch self {
        case .version, .define, .independentSegments, .start: .either
        case .media, .streamInformation, .iFrameStream, .sessionData, .sessionKey, .contentSteering: .master
        default: .media
        }
    }

    static let byName: [String: PlaylistTag] = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}
