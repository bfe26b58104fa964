import Diagnostics
import Platform
import Playlists

/// The playlists of a copy as they stand on the disk, each held to what a copy must be: complete, and of names that lead nowhere else.
struct PublishedPlaylists {
    private(set) var playlists: [PlannedPlaylist] = []
    private let directory: Directory

    private static let limitBytes = 512 << 20

    init(_ directory: Directory) throws(BundleFailure) {
        self.directory = directory
        let entry = try read(OfflinePlan.entryPath)
        playlists = [PlannedPlaylist(path: OfflinePlan.entryPath, content: entry)]
        guard case .master(let master) = entry else {
            try check(entry, OfflinePlan.entryPath)
            return
        }
        var seen: Set<String> = []
        for uri in master.variants.map(\.uri) + master.renditions.compactMap(\.uri) where seen.insert(uri).inserted {
            try checkName(uri, in: OfflinePlan.entryPath)
            let playlist = try read(uri)
            try check(playlist, uri)
            playlists.append(PlannedPlaylist(path: uri, content: playlist))
        }
        for uri in master.sessionData.compactMap(\.uri) {
            try checkName(uri, in: OfflinePlan.entryPath)
            guard (try? directory.status(of: try path(uri))) != nil else {
                throw BundleFailure(.implausibleMedia, "it is missing", url: uri)
            }
        }
    }

    private func read(_ name: String) throws(BundleFailure) -> Playlist {
        let path = try path(name)
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try directory.readFile(path, limitBytes: Self.limitBytes) } catch {
            throw error.isNotFound
                ? BundleFailure(.implausibleMedia, "the playlist is missing", url: name) : BundleFailure(error)
        }
        let outcome = PlaylistParser.parse(bytes, PlaylistParser.Context(url: ""))
        guard let playlist = outcome.playlist else {
            let error = outcome.diagnostics.first { $0.severity == .error }
            throw BundleFailure(
                .implausibleMedia, "the playlist can't be read: \(error?.message ?? "it is none")", url: name)
        }
        return playlist
    }

    private func check(_ playlist: Playlist, _ name: String) throws(BundleFailure) {
        guard case .media(let media) = playlist else {
            throw BundleFailure(.implausibleMedia, "it is a master playlist within another", url: name)
        }
        guard media.hasEndList else {
            throw BundleFailure(.implausibleMedia, "the playlist has no #EXT-X-ENDLIST", url: name)
        }
        let segments = media.segments.filter { !$0.isGap }.map(\.uri)
        for uri in segments + media.maps.map(\.uri) + media.keySets.joined().map(\.uri) {
            try checkName(uri, in: name)
        }
    }

    /// A name in a copy is a path in it, and no URL: neither a scheme nor a query is part of any.
    private func checkName(_ uri: String, in playlist: String) throws(BundleFailure) {
        let isPlain = uri.utf8.allSatisfy { byte in
            byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || "-._/".utf8.contains(byte)
        }
        guard isPlain, (try? RelativePath(uri)) != nil else {
            throw BundleFailure(
                .implausibleMedia, "it names '\(escapedText(uri))', which is no file of the copy", url: playlist)
        }
    }
}
