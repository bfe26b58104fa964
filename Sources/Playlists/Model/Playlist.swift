/// A playlist of either kind (RFC 8216 §4.1).
package enum Playlist: Equatable, Sendable {
    case master(MasterPlaylist)
    case media(MediaPlaylist)
}
