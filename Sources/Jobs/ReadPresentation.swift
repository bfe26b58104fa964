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

    /// What the playlists are called from one run to the next, by their URIs. A query may be one session's own, unless it is all that tells
    /// playlists apart; so may the folders that all playlists of the presentation are in.
    var lastingNames: [String: String] {
        let all = (outline.master?.uris ?? []).map(Self.components)
        var shared: ArraySlice<Substring> = all.first?.dropLast() ?? []
        for components in all { shared = shared.prefix(zip(shared, components).prefix { $0 == $1 }.count) }
        let uris = Dictionary(grouping: media.keys) { uri in
            Self.components(uri).dropFirst(shared.count).joined(separator: "/")
        }
        var names: [String: String] = [:]
        for (name, uris) in uris {
            for uri in uris { names[uri] = uris.count == 1 ? name : uri }
        }
        return names
    }

    private static func components(_ uri: String) -> [Substring] {
        uri.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false)
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

extension MasterPlaylist {
    /// Of all the media playlists that it names.
    fileprivate var uris: [String] { variants.map(\.uri) + renditions.compactMap(\.uri) }
}
