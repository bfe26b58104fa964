import BundleManifest
import ContentLibrary
import Platform
import Playlists

/// What was read of a presentation: the playlists of it that are kept.
struct ReadPresentation: Sendable {
    struct Media: Sendable {
        var source: OfflinePlan.Source
        /// Where it is read, and read again.
        let file: SourceFile
        /// What it may import of the master playlist's.
        let variables: [String: String]?
        var validator: String?
    }

    struct Master: Sendable {
        let playlist: MasterPlaylist
        let address: PlaylistAddress
        let choice: PlaylistChoice
    }

    /// Where the first playlist was read from in the end.
    let url: String
    /// Nil where the first playlist is a media playlist.
    let master: Master?
    /// By their URIs in the master playlist; under `lone` where there is none.
    var media: [String: Media]
    /// Of the playlists, the first one's in front.
    let receipts: [Receipt.Source]

    static let lone = ""

    /// Whether segments will follow.
    var isLive: Bool { media.values.contains { !$0.source.playlist.isComplete } }

    func plan(_ options: OfflinePlan.Options) throws(BundleFailure) -> OfflinePlan {
        do throws(PlanRefusal) {
            let sources = media.mapValues(\.source)
            if let master {
                return try OfflinePlan(
                    master.playlist, at: master.address, choice: master.choice, sources: sources, options)
            }
            guard let source = sources[Self.lone] else { throw .missingPlaylist(uri: url) }
            return try OfflinePlan(source, options)
        } catch {
            throw BundleFailure(.playlistRefused, "\(error)", url: shownURL(url))
        }
    }
}
