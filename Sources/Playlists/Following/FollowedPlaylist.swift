/// A live playlist as far as it has been seen: each reload adds the segments that follow those that are known (RFC 8216 §6.2.2, §6.3.4). What
/// its server no longer lists stays.
package struct FollowedPlaylist: Equatable, Sendable {
    /// All segments so far, without a hole in their numbers. URIs are absolute.
    package private(set) var playlist: MediaPlaylist
    /// The number of the first segment that its server still listed.
    package private(set) var windowStart: UInt64
    /// Whether the last reload ended before what was known already: a cache's, or a stream's that began anew.
    package private(set) var isBehind = false

    /// By what they are: a stream may have a key for each segment.
    private var keySetNumbers: [[MediaKey]: Int32] = [:]
    private var mapNumbers: [MediaMap: Int32] = [:]

    /// No stream loses as many segments at once: its numbers began anew.
    private static let maximumGap: UInt64 = 100_000
    /// As many as are read of a playlist: what was followed is read again, by a later run or from the copy.
    static let maximumSegments = PlaylistLimits().segments
    /// Whatever a playlist says of its target duration, it is looked at that often.
    private static let maximumDelay = Duration.seconds(60)

    /// - Parameter address: where the playlist was read from.
    package init(_ first: MediaPlaylist, at address: PlaylistAddress) throws(FollowProblem) {
        playlist = MediaPlaylist()
        playlist.mediaSequence = first.mediaSequence
        playlist.discontinuitySequence = first.discontinuitySequence
        playlist.version = first.version
        playlist.kind = first.kind
        playlist.isIFramesOnly = first.isIFramesOnly
        playlist.hasIndependentSegments = first.hasIndependentSegments
        playlist.start = first.start
        windowStart = first.mediaSequence
        try take(first, at: address, mayHaveGaps: false)
    }

    /// Goes on with what an earlier run had recorded.
    package init(recorded playlist: MediaPlaylist) {
        self.playlist = playlist
        windowStart = playlist.mediaSequence
        for (number, keys) in playlist.keySets.enumerated() { keySetNumbers[keys] = Int32(clamping: number) }
        for (number, map) in playlist.maps.enumerated() { mapNumbers[map] = Int32(clamping: number) }
    }

    /// What follows so many segments: a playlist of its own.
    package func tail(after count: Int) -> MediaPlaylist {
        var tail = playlist
        tail.segments.removeFirst(min(count, tail.segments.count))
        // The parser sees that the numbers of all segments fit.
        tail.mediaSequence = end &- UInt64(tail.segments.count)
        return tail
    }

    /// As it was when it had so many segments: nothing tells that it has ended.
    package func head(count: Int) -> FollowedPlaylist {
        guard count < playlist.segments.count else { return self }
        var head = self
        head.playlist.segments.removeSubrange(count...)
        head.playlist.hasEndList = false
        return head
    }

    /// Puts a tail that was recorded in the place of what is here from its first number on.
    /// - Returns: false where it doesn't follow.
    package mutating func replaceTail(with tail: MediaPlaylist) -> Bool {
        guard (playlist.mediaSequence...end).contains(tail.mediaSequence) else { return false }
        playlist.segments.removeSubrange(Int(clamping: tail.mediaSequence &- playlist.mediaSequence)...)
        var sets: [Int32: Int32] = [:]
        var maps: [Int32: Int32] = [:]
        let address = PlaylistAddress(url: "")
        do throws(FollowProblem) {
            for segment in tail.segments { try append(segment, of: tail, at: address, &sets, &maps) }
        } catch {
            return false
        }
        playlist.hasEndList = tail.hasEndList
        playlist.targetDuration = tail.targetDuration
        playlist.version = tail.version
        return true
    }

    /// The number behind that of the last segment. The parser sees that the numbers of all segments fit.
    package var end: UInt64 { playlist.mediaSequence &+ UInt64(playlist.segments.count) }

    /// Whether nothing follows.
    package var hasEnded: Bool { playlist.isComplete }

    /// How long to wait before the next reload, counted from when the last one began (RFC 8216 §6.3.4).
    /// - Parameter hasChanged: whether that brought anything.
    package func reloadDelay(hasChanged: Bool) -> Duration {
        min(hasChanged ? playlist.coveringTargetDuration : playlist.coveringTargetDuration / 2, Self.maximumDelay)
    }

    // MARK: Reloads

    /// Takes over what is new.
    /// - Parameter mayHaveGaps: whether segments that nobody saw are marked as gaps.
    /// - Returns: how many segments are new, gaps among them.
    /// - Throws: where segments are missing, or the playlist isn't what it was; nothing has changed then.
    @discardableResult
    package mutating func take(
        _ reload: MediaPlaylist, at address: PlaylistAddress, mayHaveGaps: Bool
    ) throws(FollowProblem) -> Int {
        guard reload.skippedSegmentCount == 0 else { throw .deltaUpdate }
        let known = end
        let (segmentCount, keySetCount, mapCount) = (
            playlist.segments.count, playlist.keySets.count, playlist.maps.count
        )
        do throws(FollowProblem) {
            try checkOverlap(with: reload, at: address)
            if reload.mediaSequence > known { try bridge(to: reload, mayHaveGaps: mayHaveGaps) }
            // What is left of it behind the segments that are known.
            let skipped = Int(clamping: end &- min(end, reload.mediaSequence))
            var sets: [Int32: Int32] = [:]
            var maps: [Int32: Int32] = [:]
            for segment in reload.segments.dropFirst(skipped) {
                try append(segment, of: reload, at: address, &sets, &maps)
            }
            guard playlist.segments.count <= Self.maximumSegments else { throw FollowProblem.tooLong }
        } catch {
            // Nothing but what follows was changed.
            playlist.segments.removeSubrange(segmentCount...)
            playlist.keySets.removeSubrange(keySetCount...)
            playlist.maps.removeSubrange(mapCount...)
            keySetNumbers = keySetNumbers.filter { $0.value < keySetCount }
            mapNumbers = mapNumbers.filter { $0.value < mapCount }
            throw error
        }
        let reloadEnd = reload.mediaSequence &+ UInt64(reload.segments.count)
        // A cache may bring a playlist that is older than the last one.
        isBehind = reloadEnd < known
        if !isBehind {
            windowStart = reload.mediaSequence
            playlist.hasEndList = reload.hasEndList
            playlist.targetDuration = max(playlist.targetDuration ?? .zero, reload.coveringTargetDuration)
            playlist.version = [playlist.version, reload.version].compactMap(\.self).max()
        }
        return Int(clamping: end &- known)
    }

    /// Segments of one number must have one name, wherever they are fetched from: else the stream began anew. An encoder that goes back and
    /// uses names, durations and times again can't be told from a cache: of such a one nothing is known but how long it lags behind.
    private func checkOverlap(with reload: MediaPlaylist, at address: PlaylistAddress) throws(FollowProblem) {
        guard !playlist.segments.isEmpty, !reload.segments.isEmpty else { return }
        let reloadEnd = reload.mediaSequence &+ UInt64(reload.segments.count)
        // No cache is older than all that was listed when it was last looked at.
        if reloadEnd < windowStart { throw .beganAnew }
        let overlap =
            max(
                playlist.mediaSequence, reload.mediaSequence)..<max(
                min(end, reloadEnd), playlist.mediaSequence, reload.mediaSequence)
        // What ends earlier than before is a cache's, or an encoder's that went back: then all of it must be what it was.
        let isOlder = reloadEnd < end
        for number in isOlder ? overlap : overlap.suffix(1) {
            let ours = playlist.segments[Int(clamping: number &- playlist.mediaSequence)]
            let theirs = reload.segments[Int(clamping: number &- reload.mediaSequence)]
            guard !ours.isGap, !theirs.isGap else { continue }
            guard LocalName.lastComponent(ours.uri) == LocalName.lastComponent(try absolute(theirs.uri, address)),
                ours.byteRange == theirs.byteRange, !isOlder || ours.mayBeOfOneTime(as: theirs)
            else { throw .beganAnew }
        }
    }

    /// Fills the place of segments that came and went unseen.
    private mutating func bridge(to reload: MediaPlaylist, mayHaveGaps: Bool) throws(FollowProblem) {
        let count = reload.mediaSequence &- end
        guard count <= Self.maximumGap else { throw .beganAnew }
        guard mayHaveGaps else { throw .lost(count: count) }
        var gap = MediaSegment(uri: Self.gapURI, duration: reload.coveringTargetDuration)
        gap.isGap = true
        gap.keySet = playlist.segments.last?.keySet
        gap.map = playlist.segments.last?.map
        playlist.segments.append(contentsOf: repeatElement(gap, count: Int(clamping: count)))
        // What was unseen may have had a discontinuity of its own.
        let seen = playlist.segments.reduce(playlist.discontinuitySequence) { $0 &+ ($1.isDiscontinuity ? 1 : 0) }
        if reload.discontinuitySequence > seen, !playlist.segments.isEmpty {
            playlist.segments[playlist.segments.count - 1].isDiscontinuity = true
        }
    }

    /// Never asked for.
    private static let gapURI = "gap"

    private mutating func append(
        _ original: MediaSegment, of reload: MediaPlaylist, at address: PlaylistAddress, _ sets: inout [Int32: Int32],
        _ maps: inout [Int32: Int32]
    ) throws(FollowProblem) {
        var segment = original
        segment.uri = original.isGap ? Self.gapURI : try absolute(original.uri, address)
        segment.keySet = try original.keySet.map { set throws(FollowProblem) in
            try keySet(set, of: reload, at: address, &sets)
        }
        if let map = original.map {
            if let known = maps[map] {
                segment.map = known
            } else {
                var section = reload.maps[Int(map)]
                section.uri = try absolute(section.uri, address)
                section.keySet = try section.keySet.map { set throws(FollowProblem) in
                    try keySet(set, of: reload, at: address, &sets)
                }
                let number = mapNumbers[section] ?? Int32(clamping: playlist.maps.count)
                if mapNumbers.updateValue(number, forKey: section) == nil { playlist.maps.append(section) }
                maps[map] = number
                segment.map = number
            }
        }
        guard segment.map != nil || playlist.segments.last?.map == nil else { throw .sectionsEnd }
        playlist.segments.append(segment)
    }

    private mutating func keySet(
        _ set: Int32, of reload: MediaPlaylist, at address: PlaylistAddress, _ sets: inout [Int32: Int32]
    ) throws(FollowProblem) -> Int32 {
        if let known = sets[set] { return known }
        let keys = try reload.keySets[Int(set)].map { original throws(FollowProblem) in
            var key = original
            // Another system's key is named in ways of its own, and refused when the copy is planned.
            if key.isUsable { key.uri = try absolute(key.uri, address) }
            return key
        }
        let number = keySetNumbers[keys] ?? Int32(clamping: playlist.keySets.count)
        if keySetNumbers.updateValue(number, forKey: keys) == nil { playlist.keySets.append(keys) }
        sets[set] = number
        return number
    }

    private func absolute(_ uri: String, _ address: PlaylistAddress) throws(FollowProblem) -> String {
        do throws(AddressProblem) { return try address.resolve(uri) } catch { throw .address(error) }
    }

    // MARK: The end

    /// Leaves out what lies behind the segment that completes this duration.
    /// - Returns: whether it has that.
    package mutating func cut(to length: Duration) -> Bool {
        var played = Duration.zero
        for (index, segment) in playlist.segments.enumerated() {
            played += segment.duration
            guard played >= length else { continue }
            playlist.segments.removeSubrange((index + 1)...)
            return true
        }
        return false
    }

    /// Marks segments as gaps whose resource can't be had any more.
    /// - Returns: how many.
    package mutating func markLost(_ url: String, _ range: ByteRange?) -> Int {
        var count = 0
        for index in playlist.segments.indices
        where playlist.segments[index].uri == url && playlist.segments[index].byteRange == range {
            playlist.segments[index].isGap = true
            playlist.segments[index].uri = Self.gapURI
            playlist.segments[index].byteRange = nil
            count += 1
        }
        return count
    }

    /// Whether its server still lists a segment of this resource.
    package func lists(_ url: String, _ range: ByteRange?) -> Bool {
        let first = Int(clamping: windowStart &- min(windowStart, playlist.mediaSequence))
        return playlist.segments.dropFirst(first).contains { $0.uri == url && $0.byteRange == range }
    }
}

extension MediaSegment {
    /// Whether nothing about their times tells two segments of one name apart.
    fileprivate func mayBeOfOneTime(as other: MediaSegment) -> Bool {
        guard duration == other.duration else { return false }
        // A window tells the time of its first segment, and of few others.
        guard let programDateTime, let date = other.programDateTime else { return true }
        return programDateTime == date
    }
}
