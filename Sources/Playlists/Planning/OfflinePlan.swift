/// What makes a presentation play from a disk: each resource once, and the playlists that name them there.
package struct OfflinePlan: Sendable {
    /// A media playlist and where it was read from, after redirects.
    package struct Source: Sendable {
        package let playlist: MediaPlaylist
        package let address: PlaylistAddress
        /// For messages and names: where it was asked for.
        package let url: String
        /// The same of redundant variants: each names, one by one, what this one does.
        package private(set) var mirrors: [Source] = []

        package init(playlist: MediaPlaylist, address: PlaylistAddress, url: String) {
            self.playlist = playlist
            self.address = address
            self.url = url
        }

        /// Takes what a redundant variant names for further sources of what this one names.
        /// - Returns: false where it can't stand for the same.
        package mutating func addMirror(_ mirror: Source) -> Bool {
            guard mirror.playlist.isAlike(playlist) else { return false }
            mirrors.append(mirror)
            return true
        }
    }

    package struct Options: Sendable {
        /// Whether playlists without an end are copied as far as they go, and end there.
        package var allowsLive = false
        /// Whether what is encrypted is stored in the clear; keys aren't stored then.
        package var decrypts = false

        package init() {}
    }

    /// In the order in which they are played; neighbours may be ranges of one file that touch each other.
    package let resources: [PlannedResource]
    /// What a player opens first is the first of them.
    package let playlists: [PlannedPlaylist]

    /// Raised whenever the same presentation would be copied differently: every library then makes its copies anew.
    package static let version = 2

    package static let entryPath = "index.m3u8"
    static let resourceFolder = "media"

    /// Plans a copy of a single media playlist.
    package init(_ source: Source, _ options: Options = Options()) throws(PlanRefusal) {
        var builder = OfflinePlanBuilder(options)
        let playlist = try builder.localized(source, defaultExtension: "ts")
        resources = builder.resources
        playlists = [
            PlannedPlaylist(
                path: Self.entryPath, content: .media(playlist), originalDuration: source.playlist.playedDuration)
        ]
    }

    /// Plans a copy of what was chosen of a presentation.
    /// - Parameters:
    ///   - address: of the master playlist.
    ///   - sources: the media playlists, by the URI that the master playlist has for the chosen variant or rendition, whichever mirror they came from.
    package init(
        _ master: MasterPlaylist, at address: PlaylistAddress, choice: PlaylistChoice, sources: [String: Source],
        _ options: Options = Options()
    ) throws(PlanRefusal) {
        var builder = OfflinePlanBuilder(options)
        var copy = MasterPlaylist()
        copy.version = master.version
        copy.hasIndependentSegments = master.hasIndependentSegments
        copy.start = master.start
        let groups = Set(choice.renditions.map(\.group))
        for chosen in choice.variants {
            copy.variants.append(try builder.localized(chosen.variant, keeping: groups, sources))
        }
        for rendition in choice.renditions { copy.renditions.append(try builder.localized(rendition, sources)) }
        for data in master.sessionData { copy.sessionData.append(try builder.localized(data, at: address)) }
        resources = builder.resources
        playlists = [PlannedPlaylist(path: Self.entryPath, content: .master(copy))] + builder.playlists
    }
}
