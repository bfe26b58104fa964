import Platform

extension MediaPlaylist {
    /// Whether what it names can be taken for what another names, one by one: but for their URIs, segments and sections are the same in number,
    /// order, duration, range and vector. RFC 8216 §4.3.4.2 asks redundant variants for no less. What is encrypted must have the very same
    /// keys, by their full URLs.
    func isAlike(_ other: MediaPlaylist) -> Bool {
        mediaSequence == other.mediaSequence && segments.count == other.segments.count
            && keySets == other.keySets && keySets.joined().allSatisfy { URLParts($0.uri).scheme != nil }
            && maps.count == other.maps.count && zip(maps, other.maps).allSatisfy { $0.isAlike($1) }
            && zip(segments, other.segments).allSatisfy { $0.isAlike($1) }
    }
}

extension MediaMap {
    fileprivate func isAlike(_ other: MediaMap) -> Bool {
        var renamed = self
        renamed.uri = other.uri
        return renamed == other
    }
}

extension MediaSegment {
    /// What is told of it besides, titles and dates, may differ.
    fileprivate func isAlike(_ other: MediaSegment) -> Bool {
        duration == other.duration && byteRange == other.byteRange && isGap == other.isGap && map == other.map
            && keySet == other.keySet
    }
}
