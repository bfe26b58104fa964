import Diagnostics

/// What tags say of the playlist as a whole (RFC 8216 §4.3.3).
extension MediaPlaylistBuilder {
    mutating func takeTargetDuration(_ value: Range<Int>, _ reader: inout PlaylistReader) {
        let number = reader.text.trimmed(value)
        guard let seconds = reader.text.seconds(number), seconds >= .zero else {
            reader.report(.looseValue, "the target duration is no whole number, and counts for nothing", at: value)
            return
        }
        if reader.text.decimal(number) == nil {
            reader.report(.looseValue, "the target duration is no whole number", at: value)
        }
        playlist.targetDuration = seconds
    }

    mutating func takeSequence(_ tag: PlaylistTag, _ value: Range<Int>, _ reader: inout PlaylistReader) {
        let range = reader.text.trimmed(value)
        guard let number = reader.text.decimal(range) else {
            let text = reader.text
            reader.report(
                .badValue, "\(text.text(range).quotedForMessage()) is no sequence number", at: value,
                hint: "it is a whole number below 2^64")
            return
        }
        if let earlier = sequenceNumbers.updateValue(number, forKey: tag), earlier != number {
            reader.report(.contradiction, "#\(tag.rawValue) stands here twice, with different numbers", at: value)
        }
        if !playlist.segments.isEmpty {
            reader.report(.misplacedTag, "#\(tag.rawValue) stands after the first segment", at: value)
        }
        if tag == .mediaSequence { playlist.mediaSequence = number } else { playlist.discontinuitySequence = number }
    }

    mutating func takeKind(_ value: Range<Int>, _ reader: inout PlaylistReader) {
        let text = reader.text.text(reader.text.trimmed(value))
        guard let kind = MediaPlaylist.Kind(rawValue: text.uppercased()) else {
            reader.report(
                .looseValue, "\(text.quotedForMessage()) is neither EVENT nor VOD, and counts for nothing", at: value)
            return
        }
        if kind.rawValue != text { reader.report(.looseValue, "the type is written \(kind.rawValue)", at: value) }
        playlist.kind = kind
    }

    mutating func takeSkip(_ value: Range<Int>, _ reader: inout PlaylistReader) {
        guard let attributes = reader.attributes(value) else { return }
        playlist.skippedSegmentCount = attributes.number("SKIPPED-SEGMENTS", &reader) ?? 1
    }
}
