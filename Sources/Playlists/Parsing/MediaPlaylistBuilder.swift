import Platform
import Diagnostics

/// Makes a media playlist of its tags, one after the other.
struct MediaPlaylistBuilder {
    var playlist = MediaPlaylist()
    private var pending = PendingSegment()
    private var keysInForce: [MediaKey] = []
    /// Of `keysInForce`, once something is encrypted with them: several tags make one set.
    private var keySet: Int32?
    private var keySetNumbers: [[MediaKey]: Int32] = [:]
    private var map: Int32?
    private var mapNumbers: [MediaMap: Int32] = [:]
    private var bitrate: Int32?
    /// Of the tags that number the playlist's first segment.
    var sequenceNumbers: [PlaylistTag: UInt64] = [:]
    private var hasStopped = false

    /// What the tags before a URI say of it.
    private struct PendingSegment {
        var duration: Duration?
        /// Of `EXTINF`.
        var line = 0..<0
        var title = ""
        var range: (lengthBytes: Int64, offset: Int64?, place: Range<Int>)?
        var programDateTime: String?
        var isDiscontinuity = false
        var isGap = false
    }

    mutating func take(_ tag: PlaylistTag, _ value: Range<Int>, _ reader: inout PlaylistReader) {
        switch tag {
        case .segmentDuration: takeDuration(value, &reader)
        case .byteRange: takeByteRange(value, &reader)
        case .programDateTime: pending.programDateTime = reader.words(reader.text.trimmed(value))
        case .discontinuity: pending.isDiscontinuity = true
        case .gap: pending.isGap = true
        case .key: takeKey(value, &reader)
        case .map: takeMap(value, &reader)
        case .bitrate: takeBitrate(value, &reader)
        case .targetDuration: takeTargetDuration(value, &reader)
        case .mediaSequence: takeSequence(tag, value, &reader)
        case .discontinuitySequence: takeSequence(tag, value, &reader)
        case .playlistType: takeKind(value, &reader)
        case .endList: playlist.hasEndList = true
        case .iFramesOnly: playlist.isIFramesOnly = true
        case .part: playlist.partCount += 1
        case .skip: takeSkip(value, &reader)
        default: break
        }
    }

    /// A URI ends what the tags before it began.
    mutating func takeURI(_ range: Range<Int>, _ reader: inout PlaylistReader) {
        guard !hasStopped else { return }
        guard let duration = pending.duration else {
            reader.report(.uriWithoutSegment, "no #EXTINF says what the URI is", at: range)
            return
        }
        defer { pending = PendingSegment() }
        let limit = reader.limits.segments
        guard playlist.segments.count < limit else {
            hasStopped = true
            reader.report(.tooLarge, "there are more than \(limit) segments", at: range)
            return
        }
        guard let uri = reader.lineURI(range) else { return }
        if playlist.segments.isEmpty { reserveSegments(&reader) }
        var segment = MediaSegment(uri: uri, duration: duration)
        if let range = pending.range {
            guard let range = resolved(range, of: uri, &reader) else { return }
            segment.byteRange = range
        }
        swap(&segment.title, &pending.title)
        swap(&segment.programDateTime, &pending.programDateTime)
        segment.keySet = keySetInForce(at: range, &reader)
        segment.map = map
        segment.bitrate = bitrate
        segment.isDiscontinuity = pending.isDiscontinuity
        segment.isGap = pending.isGap
        playlist.segments.append(consume segment)
    }

    /// As many as the text can hold where names are short: room that isn't used costs no memory, and growing does.
    private mutating func reserveSegments(_ reader: inout PlaylistReader) {
        let fewestBytes = 16
        playlist.segments.reserveCapacity(min(reader.text.bytes.count / fewestBytes, reader.limits.segments))
    }

    // MARK: Segments

    private mutating func takeDuration(_ value: Range<Int>, _ reader: inout PlaylistReader) {
        if pending.duration != nil { reportSegmentWithoutURI(&reader) }
        let comma = reader.text.first(UInt8(ascii: ","), in: value)
        if comma == nil {
            reader.report(.missingComma, "the comma after the duration is missing", at: value)
        }
        let number = reader.text.trimmed(value.lowerBound..<(comma ?? value.upperBound))
        pending.line = value
        pending.duration = .zero
        if let comma { pending.title = title(reader.text.trimmed(comma + 1..<value.upperBound), &reader) }
        guard let duration = seconds(number, &reader) else {
            let text = reader.text
            reader.report(
                .badValue, "\(text.text(number).quotedForMessage()) is no duration", at: number,
                hint: "write seconds: 6.006")
            return
        }
        if duration < .zero {
            reader.report(.negativeDuration, "the duration is negative: it counts as unknown", at: number)
        } else {
            pending.duration = duration
        }
    }

    private func title(_ range: Range<Int>, _ reader: inout PlaylistReader) -> String {
        range.isEmpty ? "" : reader.words(range)
    }

    /// Lists of television stations have attributes after the number.
    private func seconds(_ range: Range<Int>, _ reader: inout PlaylistReader) -> Duration? {
        if let duration = reader.text.seconds(range) { return duration }
        guard let blank = reader.text.first(UInt8(ascii: " "), in: range),
            let duration = reader.text.seconds(range.lowerBound..<blank)
        else { return nil }
        reader.report(.looseValue, "something stands between the duration and the comma", at: blank..<range.upperBound)
        return duration
    }

    private mutating func takeByteRange(_ value: Range<Int>, _ reader: inout PlaylistReader) {
        let text = reader.text
        let trimmed = text.trimmed(value)
        let at = text.first(UInt8(ascii: "@"), in: trimmed)
        let length = text.decimal(trimmed.lowerBound..<(at ?? trimmed.upperBound)).flatMap { Int64(exactly: $0) }
        let offset = at.map { text.decimal($0 + 1..<trimmed.upperBound).flatMap { Int64(exactly: $0) } }
        // A range that isn't one is one that begins nowhere: an absent offset continues the segment before, a broken one doesn't.
        guard let length, offset != .some(nil) else {
            reader.report(
                .badValue, "\(text.text(trimmed).quotedForMessage()) is no byte range", at: value,
                hint: "write LENGTH or LENGTH@OFFSET")
            return
        }
        pending.range = (length, offset ?? nil, value)
    }

    private func resolved(
        _ range: (lengthBytes: Int64, offset: Int64?, place: Range<Int>), of uri: String, _ reader: inout PlaylistReader
    ) -> ByteRange? {
        let last = playlist.segments.last
        guard let offset = range.offset ?? (last?.uri == uri ? last?.byteRange?.end : nil) else {
            reader.report(
                .orphanRange, "the byte range has no offset, and the segment before is no range of the same resource",
                at: range.place, hint: "write LENGTH@OFFSET")
            return nil
        }
        guard let resolved = ByteRange(offset: offset, lengthBytes: range.lengthBytes) else {
            reader.report(.badValue, "the byte range is empty, or ends beyond 2^63", at: range.place)
            return nil
        }
        return resolved
    }

    private mutating func takeKey(_ value: Range<Int>, _ reader: inout PlaylistReader) {
        guard let attributes = reader.attributes(value), case .success(let key) = reader.key(attributes, of: .key)
        else { return }
        keySet = nil
        guard let key else {
            keysInForce = []
            return
        }
        let limit = reader.limits.keyFormats
        if let index = keysInForce.firstIndex(where: { $0.format == key.format }) {
            keysInForce[index] = key
        } else if keysInForce.count < limit {
            keysInForce.append(key)
        } else {
            reader.report(.tooLarge, "more than \(limit) formats of keys are in force", at: value)
        }
    }

    private mutating func keySetInForce(at place: Range<Int>, _ reader: inout PlaylistReader) -> Int32? {
        guard keySet == nil, !keysInForce.isEmpty else { return keySet }
        keySet = keySetNumbers[keysInForce]
        if keySet == nil {
            let limit = reader.limits.keySets
            guard playlist.keySets.count < limit else {
                reader.report(.tooLarge, "there are more than \(limit) sets of keys", at: place)
                return nil
            }
            keySet = Int32(clamping: playlist.keySets.count)
            keySetNumbers[keysInForce] = keySet
            playlist.keySets.append(keysInForce)
        }
        return keySet
    }

    private mutating func takeMap(_ value: Range<Int>, _ reader: inout PlaylistReader) {
        guard let attributes = reader.attributes(value), let uri = attributes.required("URI", of: .map, &reader),
            case .success(let range) = attributes.byteRange(&reader)
        else { return }
        if keysInForce.contains(where: { $0.method == .aes128 && $0.initializationVector == nil }) {
            reader.report(
                .encryptedMapWithoutVector, "the section is encrypted, and its key has no IV: none can be derived",
                at: value, hint: "give the #EXT-X-KEY before it an IV")
        }
        let section = MediaMap(uri: uri, byteRange: range, keySet: keySetInForce(at: value, &reader))
        if let known = mapNumbers[section] {
            map = known
        } else {
            let limit = reader.limits.maps
            guard playlist.maps.count < limit else {
                reader.report(.tooLarge, "there are more than \(limit) initialization sections", at: value)
                return
            }
            map = Int32(clamping: playlist.maps.count)
            mapNumbers[section] = map
            playlist.maps.append(section)
        }
    }

    private mutating func takeBitrate(_ value: Range<Int>, _ reader: inout PlaylistReader) {
        guard let number = reader.text.decimal(reader.text.trimmed(value)), let rate = Int32(exactly: number) else {
            reader.report(.looseValue, "the bitrate is no whole number, and counts for nothing", at: value)
            return
        }
        bitrate = rate
    }

    // MARK: The end

    private func reportSegmentWithoutURI(_ reader: inout PlaylistReader) {
        reader.report(
            .segmentWithoutURI, "no URI follows this #EXTINF: a segment is missing", at: pending.line)
    }

    /// The whole, once the text has ended at `end`.
    mutating func finish(at end: Int, _ reader: inout PlaylistReader) -> MediaPlaylist {
        if pending.duration != nil { reportSegmentWithoutURI(&reader) }
        let segmentCount = UInt64(playlist.segments.count)
        let (first, skipOverflows) = playlist.mediaSequence.addingReportingOverflow(playlist.skippedSegmentCount)
        if skipOverflows || first.addingReportingOverflow(segmentCount).overflow {
            reader.report(.badValue, "the segments' sequence numbers go beyond 2^64", at: end..<end)
        }
        if playlist.segments.isEmpty { reader.report(.noSegments, "the playlist has no segments", at: end..<end) }
        checkTargetDuration(at: end, &reader)
        if playlist.kind == .vod, !playlist.hasEndList {
            reader.report(.noEndList, "the playlist is of type VOD, but has no #EXT-X-ENDLIST", at: end..<end)
        }
        return playlist
    }

    private func checkTargetDuration(at end: Int, _ reader: inout PlaylistReader) {
        guard let target = playlist.targetDuration else {
            reader.report(.noTargetDuration, "there is no #EXT-X-TARGETDURATION", at: end..<end)
            return
        }
        // Rounded to the nearest second (RFC 8216 §4.3.3.1).
        let longest = target + .milliseconds(500)
        guard let index = playlist.segments.firstIndex(where: { $0.duration >= longest }) else { return }
        let segment = playlist.segments[index]
        reader.report(
            .durationOverTarget,
            "segment \(index + 1), \(shownURL(segment.uri).quotedForMessage()), is longer than the target duration",
            at: end..<end
        )
    }
}
