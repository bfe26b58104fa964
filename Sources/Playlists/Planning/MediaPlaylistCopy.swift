/// A media playlist that names what is stored, made segment by segment. Keys and sections that no segment uses are left out.
struct MediaPlaylistCopy {
    private(set) var playlist: MediaPlaylist
    private let source: OfflinePlan.Source
    private var keys: [Int32: MediaKey] = [:]
    private var keySetNumbers: [MediaKey: Int32] = [:]
    private var maps: [Int32: Int32] = [:]
    private var mapNumbers: [MediaMap: Int32] = [:]
    /// Whether a reader could derive a wrong vector: some players number segments with 32 bits.
    private let needsVectors: Bool

    init(of source: OfflinePlan.Source) {
        self.source = source
        let original = source.playlist
        let (end, overflows) = original.mediaSequence.addingReportingOverflow(UInt64(original.segments.count))
        needsVectors = overflows || end > UInt64(Int32.max)

        playlist = original
        playlist.kind = .vod
        playlist.hasEndList = true
        playlist.partCount = 0
        playlist.targetDuration = original.coveringTargetDuration
        playlist.keySets = []
        playlist.maps = []
        playlist.segments = []
        playlist.segments.reserveCapacity(original.segments.count)
    }

    /// - Parameter defaultExtension: for a segment whose URL tells none.
    mutating func appendSegment(
        _ index: Int, _ defaultExtension: String, _ builder: inout OfflinePlanBuilder
    ) throws(PlanRefusal) {
        let original = source.playlist.segments[index]
        var segment = original
        segment.byteRange = nil
        if original.isGap {
            // Nothing is ever asked for by this name, nor with a key.
            segment.uri = OfflinePlan.resourceFolder + "/gap"
            segment.map = playlist.segments.last?.map
            segment.keySet = playlist.segments.last?.keySet
        } else {
            segment.map = try original.map.map { map throws(PlanRefusal) in try localMap(map, &builder) }
            segment.keySet = try original.keySet.map { set throws(PlanRefusal) in
                try localKeySet(set, forSegmentAt: index, &builder)
            }
            let fallback = original.map == nil ? defaultExtension : "m4s"
            segment.uri = try builder.path(
                of: original.uri, original.byteRange, as: .segment, at: source.address, duration: original.duration
            ) { url in ResourceExtension.ofSegment(url) ?? fallback }
        }
        playlist.segments.append(segment)
    }

    private mutating func localMap(_ map: Int32, _ builder: inout OfflinePlanBuilder) throws(PlanRefusal) -> Int32 {
        if let known = maps[map] { return known }
        var section = source.playlist.maps[Int(map)]
        section.keySet = try section.keySet.map { set throws(PlanRefusal) in
            // The parser saw that it has a vector.
            try localKeySet(set, forSegmentAt: nil, &builder)
        }
        section.uri = try builder.path(
            of: section.uri, section.byteRange, as: .initializationSection, at: source.address
        ) { url in ResourceExtension.ofSection(url) }
        section.byteRange = nil
        // There are no more of them than the parser could number.
        let number = mapNumbers[section] ?? Int32(clamping: playlist.maps.count)
        if mapNumbers.updateValue(number, forKey: section) == nil { playlist.maps.append(section) }
        maps[map] = number
        return number
    }

    /// - Parameter index: nil for a section.
    private mutating func localKeySet(
        _ set: Int32, forSegmentAt index: Int?, _ builder: inout OfflinePlanBuilder
    ) throws(PlanRefusal) -> Int32 {
        var key = try localKey(set, &builder)
        if needsVectors, let index {
            key.initializationVector = source.playlist.initializationVector(of: key, forSegmentAt: index)
        }
        if let known = keySetNumbers[key] { return known }
        let number = Int32(clamping: playlist.keySets.count)
        playlist.keySets.append([key])
        keySetNumbers[key] = number
        return number
    }

    /// Of a set the key that anybody can use, by its local name.
    private mutating func localKey(_ set: Int32, _ builder: inout OfflinePlanBuilder) throws(PlanRefusal) -> MediaKey {
        if let known = keys[set] { return known }
        var key = try source.playlist.keySets[Int(set)].usableKey(playlist: source.url)
        key.uri = try builder.path(of: key.uri, nil, as: .key, at: source.address) { _ in ResourceExtension.ofKeys }
        key.formatVersions = nil
        keys[set] = key
        return key
    }
}
