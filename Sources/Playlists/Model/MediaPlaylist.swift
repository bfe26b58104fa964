/// What is played one after the other (RFC 8216 §4.3.2, §4.3.3). Variables are replaced and implicit offsets resolved; URIs are as written.
package struct MediaPlaylist: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case event = "EVENT"
        case vod = "VOD"
    }

    /// `EXT-X-VERSION`.
    package var version: Int?
    /// Nil where the playlist names none that can be used.
    package var targetDuration: Duration?
    /// The number of the first segment.
    package var mediaSequence: UInt64 = 0
    package var discontinuitySequence: UInt64 = 0
    package var kind: Kind?
    package var hasEndList = false
    package var isIFramesOnly = false
    package var hasIndependentSegments = false
    package var start: StartPoint?
    /// The sets of keys that are in force somewhere, each once, in the order of their first use. A set has a key for each `KEYFORMAT`.
    package var keySets: [[MediaKey]] = []
    /// Media initialization sections, each once, in the order of their first use.
    package var maps: [MediaMap] = []
    package var segments: [MediaSegment] = []
    /// Parts of segments that aren't complete yet (low latency). They are counted, and otherwise left alone: whole segments follow.
    package var partCount = 0
    /// Segments that a delta update leaves out because its reader should have them.
    package var skippedSegmentCount: UInt64 = 0

    package init() {}

    /// Whether no segment will follow: without `EXT-X-ENDLIST` a VOD playlist can't change either.
    package var isComplete: Bool { hasEndList || kind == .vod }

    /// How long it plays. The parser bounds durations and the number of segments: the sum fits.
    package var duration: Duration { segments.reduce(.zero) { $0 + $1.duration } }

    /// How long what isn't missing plays.
    package var playedDuration: Duration { segments.reduce(.zero) { $1.isGap ? $0 : $0 + $1.duration } }

    /// In whole seconds, and no less than any segment's duration rounded (RFC 8216 §4.3.3.1).
    package var coveringTargetDuration: Duration {
        let longest = segments.reduce(Duration.zero) { max($0, $1.duration) } + .milliseconds(500)
        let (seconds, attoseconds) = (targetDuration ?? .zero).components
        return .seconds(max(attoseconds > 0 ? seconds &+ 1 : seconds, longest.components.seconds, 1))
    }

    /// The vector that an encrypted segment is decrypted with.
    package func initializationVector(of key: MediaKey, forSegmentAt index: Int) -> InitializationVector {
        // The parser sees that the numbers of all segments fit.
        key.initializationVector ?? InitializationVector(sequenceNumber: mediaSequence &+ UInt64(index))
    }
}

/// A media segment.
package struct MediaSegment: Equatable, Sendable {
    package var uri: String
    package var duration: Duration
    package var byteRange: ByteRange?
    /// The text after the duration.
    package var title = ""
    /// As written (ISO 8601).
    package var programDateTime: String?
    /// In `keySets`; nil: clear.
    package var keySet: Int32?
    /// In `maps`.
    package var map: Int32?
    /// In kilobits a second.
    package var bitrate: Int32?
    /// Whether something changes between the segment before and this one, such as the timestamps or the encoding.
    package var isDiscontinuity = false
    /// Whether it doesn't exist: it must not be asked for.
    package var isGap = false

    package init(uri: String, duration: Duration) {
        self.uri = uri
        self.duration = duration
    }
}

/// A media initialization section (`EXT-X-MAP`).
package struct MediaMap: Hashable, Sendable {
    package var uri: String
    package var byteRange: ByteRange?
    /// What it is encrypted with: in `keySets`; nil: clear.
    package var keySet: Int32?

    package init(uri: String, byteRange: ByteRange? = nil, keySet: Int32? = nil) {
        self.uri = uri
        self.byteRange = byteRange
        self.keySet = keySet
    }
}

/// Where to start playing (`EXT-X-START`).
package struct StartPoint: Equatable, Sendable {
    /// From the beginning; from the end where it is negative.
    package var offset: Duration
    /// Whether nothing before the offset is shown.
    package var isPrecise: Bool

    package init(offset: Duration, isPrecise: Bool = false) {
        self.offset = offset
        self.isPrecise = isPrecise
    }
}
