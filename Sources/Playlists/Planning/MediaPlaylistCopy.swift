import Platform

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
        let fallback = original.map == nil ? defaultExtension : "m4s"
        if original.isGap {
            // Nothing is ever asked for by this name, nor with a key. A player may refuse the whole playlist for an extension it doesn't know.
            segment.uri = OfflinePlan.resourceFolder + "/gap." + fallback
            segment.map = playlist.segments.last?.map
            segment.keySet = playlist.segments.last?.keySet
        } else {
            segment.map = try original.map.map { map throws(PlanRefusal) in try localMap(map, &builder) }
            let encryption = try encryption(original.keySet, forSegmentAt: index, builder)
            segment.keySet = try localKeySet(original.keySet, forSegmentAt: index, &builder)
            segment.uri = try builder.path(
                of: original.uri, original.byteRange, as: .segment, at: source.address, duration: original.duration,
                decryptedBy: encryption, mirrors: source.mirrors.map { ($0.playlist.segments[index].uri, $0.address) }
            ) { url in ResourceExtension.ofSegment(url) ?? fallback }
        }
        playlist.segments.append(segment)
    }

    private mutating func localMap(_ map: Int32, _ builder: inout OfflinePlanBuilder) throws(PlanRefusal) -> Int32 {
        if let known = maps[map] { return known }
        var section = source.playlist.maps[Int(map)]
        // The parser saw that its key has a vector.
        let encryption = try encryption(section.keySet, forSegmentAt: nil, builder)
        section.keySet = try localKeySet(section.keySet, forSegmentAt: nil, &builder)
        section.uri = try builder.path(
            of: section.uri, section.byteRange, as: .initializationSection, at: source.address,
            decryptedBy: encryption, mirrors: source.mirrors.map { ($0.playlist.maps[Int(map)].uri, $0.address) }
        ) { url in ResourceExtension.ofSection(url) }
        section.byteRange = nil
        // There are no more of them than the parser could number.
        let number = mapNumbers[section] ?? Int32(clamping: playlist.maps.count)
        if mapNumbers.updateValue(number, forKey: section) == nil { playlist.maps.append(section) }
        maps[map] = number
        return number
    }

    /// What is decrypted before it is stored, and with what; nil for what is clear, or stays encrypted.
    private func encryption(
        _ set: Int32?, forSegmentAt index: Int?, _ builder: OfflinePlanBuilder
    ) throws(PlanRefusal) -> SegmentEncryption? {
        guard builder.options.decrypts, let set else { return nil }
        let key = try source.playlist.keySets[Int(set)].usableKey(playlist: source.url)
        let derived = index.map { source.playlist.initializationVector(of: key, forSegmentAt: $0) }
        guard let vector = derived ?? key.initializationVector else { return nil }
        return SegmentEncryption(keyURL: try builder.url(of: key.uri, at: source.address), vector: vector)
    }

    /// - Parameter index: nil for a section.
    /// - Returns: nil for what is stored in the clear.
    private mutating func localKeySet(
        _ set: Int32?, forSegmentAt index: Int?, _ builder: inout OfflinePlanBuilder
    ) throws(PlanRefusal) -> Int32? {
        guard let set, !builder.options.decrypts else { return nil }
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
