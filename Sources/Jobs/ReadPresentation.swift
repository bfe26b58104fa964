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

    /// Where the first playlist was read from in the end.
    let url: String
    let outline: PresentationOutline
    /// By their URIs in the master playlist; under `PresentationOutline.loneURI` where there is none.
    var media: [String: Media]
    /// Of the playlists, the first one's in front.
    let receipts: [Receipt.Source]

    /// What the playlists are called from one run to the next, by their URIs: a query may be one session's own, unless it is all that tells
    /// playlists apart.
    var lastingNames: [String: String] {
        let uris = Dictionary(grouping: media.keys) { uri in String(uri.prefix { $0 != "?" && $0 != "#" }) }
        var names: [String: String] = [:]
        for (name, uris) in uris {
            for uri in uris { names[uri] = uris.count == 1 ? name : uri }
        }
        return names
    }

    /// Whether segments will follow.
    var isLive: Bool { media.values.contains { !$0.source.playlist.isComplete } }

    func plan(_ options: OfflinePlan.Options) throws(BundleFailure) -> OfflinePlan {
        do throws(PlanRefusal) {
            return try outline.plan(media.mapValues(\.source), options)
        } catch {
            throw BundleFailure(.playlistRefused, "\(error)", url: shownURL(url))
        }
    }
}
