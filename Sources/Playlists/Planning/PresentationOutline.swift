import Diagnostics
import Platform

/// What a presentation's first playlist says: which media playlists are read, where they are, and what all of them make. Nothing is read here: whoever
/// brings playlists asks for one after the other.
package struct PresentationOutline: Sendable {
    private enum Shape: Sendable {
        /// The first playlist is the only one.
        case lone(OfflinePlan.Source)
        case chosen(MasterPlaylist, PlaylistChoice)
    }

    /// What stands for the URI of a first playlist that is the only one.
    package static let loneURI = ""

    private let shape: Shape
    private let address: PlaylistAddress

    /// - Parameters:
    ///   - url: where the first playlist was asked for.
    ///   - origin: where it came from, after redirects.
    package init(
        _ playlist: Playlist, url: String, from origin: String, by selection: VariantSelection
    ) throws(ChoiceProblem) {
        address = PlaylistAddress(url: origin)
        switch playlist {
        case .media(let media): shape = .lone(OfflinePlan.Source(playlist: media, address: address, url: url))
        case .master(let master): shape = .chosen(master, try PlaylistChoice(from: master, by: selection))
        }
    }

    /// The first playlist, where it is a media playlist: then there is nothing else to read.
    package var lone: OfflinePlan.Source? {
        guard case .lone(let source) = shape else { return nil }
        return source
    }

    /// The first playlist, where it names others.
    package var master: MasterPlaylist? {
        guard case .chosen(let master, _) = shape else { return nil }
        return master
    }

    /// The media playlists to read, each once and by its URIs in the master playlist: behind the one that was chosen come those of variants
    /// that say the same of themselves.
    package var wanted: [[String]] {
        guard case .chosen(_, let choice) = shape else { return [] }
        let variants = choice.variants.map { [$0.variant.uri] + $0.mirrors.map(\.uri) }
        var taken: Set<String> = []
        return (variants + choice.renditions.compactMap { $0.uri.map { [$0] } }).filter { taken.insert($0[0]).inserted }
    }

    package func url(of uri: String) throws(AddressProblem) -> String { try address.resolve(uri) }

    /// - Parameters:
    ///   - url: where the playlist was asked for.
    ///   - origin: where it came from, after redirects.
    package func source(
        _ playlist: Playlist, url: String, from origin: String
    ) throws(NestedMasterPlaylist) -> OfflinePlan.Source {
        guard case .media(let media) = playlist else { throw NestedMasterPlaylist() }
        return OfflinePlan.Source(playlist: media, address: address.naming(url: origin), url: url)
    }

    /// - Parameter sources: what was read, by the first URIs of what was wanted; a first playlist that is the only one under `loneURI`.
    package func plan(
        _ sources: [String: OfflinePlan.Source], _ options: OfflinePlan.Options
    ) throws(PlanRefusal) -> OfflinePlan {
        switch shape {
        case .lone(let first):
            guard let source = sources[Self.loneURI] else { throw .missingPlaylist(uri: first.url) }
            return try OfflinePlan(source, options)
        case .chosen(let master, let choice):
            return try OfflinePlan(master, at: address, choice: choice, sources: sources, options)
        }
    }
}

/// What a master playlist names is one itself.
package struct NestedMasterPlaylist: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "it is a master playlist where a media playlist was expected" }
}
