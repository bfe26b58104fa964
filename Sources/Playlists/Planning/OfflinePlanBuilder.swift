/// Collects resources, each once, and makes playlists that name them by their paths.
struct OfflinePlanBuilder {
    private(set) var resources: [PlannedResource] = []
    private(set) var playlists: [PlannedPlaylist] = []
    let options: OfflinePlan.Options
    private let names = LocalName()
    private var paths: [Identity: String] = [:]
    /// By the URI in the master playlist: variants may share one.
    private var playlistPaths: [String: String] = [:]
    private var plannedPaths: Set<String> = []

    private struct Identity: Hashable {
        let url: String
        let range: ByteRange?
        let encryption: SegmentEncryption?
    }

    init(_ options: OfflinePlan.Options) { self.options = options }

    // MARK: Master playlists

    /// - Parameter kept: the groups that have members in the copy.
    mutating func localized(
        _ variant: Variant, keeping kept: Set<RenditionGroup>, _ sources: [String: OfflinePlan.Source]
    ) throws(PlanRefusal) -> Variant {
        var copy = variant
        copy.uri = try playlistPath(variant.uri, sources, defaultExtension: "ts")
        // What a server steers by means nothing here.
        copy.attributes = variant.attributes.without("PATHWAY-ID")
        for group in variant.groups where !kept.contains(group) {
            copy.attributes = copy.attributes.without(group.kind.rawValue)
        }
        return copy
    }

    mutating func localized(
        _ rendition: Rendition, _ sources: [String: OfflinePlan.Source]
    ) throws(PlanRefusal) -> Rendition {
        var copy = rendition
        guard let uri = rendition.uri else { return copy }
        copy.uri = try playlistPath(uri, sources, defaultExtension: rendition.kind == .subtitles ? "vtt" : "ts")
        return copy
    }

    mutating func localized(_ data: SessionData, at address: PlaylistAddress) throws(PlanRefusal) -> SessionData {
        guard let uri = data.uri else { return data }
        var copy = data
        copy.uri = try path(of: uri, nil, as: .sessionData, at: address) { _ in "json" }
        return copy
    }

    private mutating func playlistPath(
        _ uri: String, _ sources: [String: OfflinePlan.Source], defaultExtension: String
    ) throws(PlanRefusal) -> String {
        if let known = playlistPaths[uri] { return known }
        guard let source = sources[uri] else { throw .missingPlaylist(uri: uri) }
        let path = names.name(of: source.url, range: nil, extension: "m3u8")
        playlistPaths[uri] = path
        let content = Playlist.media(try localized(source, defaultExtension: defaultExtension))
        // Two URIs may lead to one playlist.
        if plannedPaths.insert(path).inserted {
            playlists.append(
                PlannedPlaylist(path: path, content: content, originalDuration: source.playlist.playedDuration))
        }
        return path
    }

    // MARK: Media playlists

    /// - Parameter defaultExtension: of segments whose URL tells none.
    mutating func localized(
        _ source: OfflinePlan.Source, defaultExtension: String
    ) throws(PlanRefusal) -> MediaPlaylist {
        let original = source.playlist
        guard original.skippedSegmentCount == 0 else { throw .deltaUpdate(playlist: source.url) }
        guard original.isComplete || options.allowsLive else { throw .live(playlist: source.url) }
        guard original.segments.contains(where: { !$0.isGap }) else { throw .noSegments(playlist: source.url) }
        var copy = MediaPlaylistCopy(of: source)
        for index in original.segments.indices { try copy.appendSegment(index, defaultExtension, &self) }
        return copy.playlist
    }

    // MARK: Resources

    /// Where a resource is put; one that is new is added to the plan.
    /// - Parameters:
    ///   - encryption: what it is decrypted with.
    ///   - mirrors: where else it may be had, and from which playlist these URIs are.
    ///   - suffix: what its name ends with, by its URL.
    mutating func path(
        of uri: String, _ range: ByteRange?, as role: PlannedResource.Role, at address: PlaylistAddress,
        duration: Duration = .zero, decryptedBy encryption: SegmentEncryption? = nil,
        mirrors: [(uri: String, address: PlaylistAddress)] = [], extension suffix: (String) -> String
    ) throws(PlanRefusal) -> String {
        let url = try url(of: uri, at: address)
        let identity = Identity(url: url, range: range, encryption: encryption)
        if let known = paths[identity] { return known }
        let name = names.name(of: url, range: range, decryptedBy: encryption, extension: suffix(url))
        let path = OfflinePlan.resourceFolder + "/" + name
        paths[identity] = path
        resources.append(
            PlannedResource(
                url: url, byteRange: range, path: path, role: role, duration: duration, encryption: encryption,
                // A mirror that may not be asked is none.
                mirrors: mirrors.compactMap { try? $0.address.resolve($0.uri) }.filter { $0 != url }))
        return path
    }

    func url(of uri: String, at address: PlaylistAddress) throws(PlanRefusal) -> String {
        do throws(AddressProblem) { return try address.resolve(uri) } catch { throw .address(error) }
    }
}
