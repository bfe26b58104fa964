extension PlaylistWriter {
    /// - Precondition: behind a segment that has an initialization section each one has: no tag takes a section back.
    mutating func write(_ playlist: MediaPlaylist) {
        writeBasics(
            version: Self.version(of: playlist), hasIndependentSegments: playlist.hasIndependentSegments,
            start: playlist.start)
        line(.targetDuration, Self.seconds(playlist.coveringTargetDuration))
        if playlist.mediaSequence != 0 { line(.mediaSequence, String(playlist.mediaSequence)) }
        if playlist.discontinuitySequence != 0 {
            line(.discontinuitySequence, String(playlist.discontinuitySequence))
        }
        if let kind = playlist.kind { line(.playlistType, kind.rawValue) }
        if playlist.isIFramesOnly { line(.iFramesOnly) }
        var state = SegmentState()
        for segment in playlist.segments { write(segment, of: playlist, &state) }
        if playlist.hasEndList { line(.endList) }
    }

    /// What holds for the segments that follow, until something else does.
    private struct SegmentState {
        var keySet: Int32?
        var map: Int32?
        var bitrate: Int32?
    }

    private mutating func write(_ segment: MediaSegment, of playlist: MediaPlaylist, _ state: inout SegmentState) {
        if segment.isDiscontinuity { line(.discontinuity) }
        if let map = segment.map, map != state.map {
            let section = playlist.maps[Int(map)]
            // A section is encrypted with the keys that stand before it.
            write(keySet: section.keySet, of: playlist, &state)
            var attributes: [AttributeList.Attribute] = [.init("URI", section.uri, isQuoted: true)]
            if let range = section.byteRange {
                attributes.append(.init("BYTERANGE", Self.text(of: range), isQuoted: true))
            }
            line(.map, AttributeList(attributes))
            state.map = map
        }
        write(keySet: segment.keySet, of: playlist, &state)
        if let date = segment.programDateTime { line(.programDateTime, date) }
        if let bitrate = segment.bitrate, bitrate != state.bitrate {
            line(.bitrate, String(bitrate))
            state.bitrate = bitrate
        }
        if segment.isGap { line(.gap) }
        line(.segmentDuration, Self.seconds(segment.duration) + "," + segment.title)
        if let range = segment.byteRange { line(.byteRange, Self.text(of: range)) }
        text += segment.uri + "\n"
    }

    private mutating func write(keySet: Int32?, of playlist: MediaPlaylist, _ state: inout SegmentState) {
        guard keySet != state.keySet else { return }
        var inForce = state.keySet.map { playlist.keySets[Int($0)] } ?? []
        let wanted = keySet.map { playlist.keySets[Int($0)] } ?? []
        // A key stays in force until another of its format, or none at all, takes its place.
        if !inForce.allSatisfy({ old in wanted.contains { $0.format == old.format } }) {
            line(.key, "METHOD=NONE")
            inForce = []
        }
        for key in wanted where !inForce.contains(key) { line(.key, Self.attributes(of: key)) }
        state.keySet = keySet
    }

    private static func text(of range: ByteRange) -> String { "\(range.lengthBytes)@\(range.offset)" }

    /// The lowest that has all that is written (RFC 8216 §7), but not below what the playlist said of itself.
    private static func version(of playlist: MediaPlaylist) -> Int? {
        var needed = 1
        let keys = playlist.keySets.joined()
        if keys.contains(where: { $0.initializationVector != nil }) { needed = 2 }
        if playlist.segments.contains(where: { $0.duration.components.attoseconds != 0 }) { needed = 3 }
        if playlist.isIFramesOnly || playlist.segments.contains(where: { $0.byteRange != nil }) { needed = 4 }
        if keys.contains(where: { $0.format != MediaKey.identityFormat || $0.formatVersions != nil }) { needed = 5 }
        if !playlist.maps.isEmpty { needed = playlist.isIFramesOnly ? 5 : 6 }
        if playlist.segments.contains(where: \.isGap) { needed = 8 }
        let version = max(needed, playlist.version ?? 1)
        return version > 1 ? version : nil
    }
}
