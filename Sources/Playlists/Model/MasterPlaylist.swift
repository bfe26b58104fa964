import Platform

/// The choices that a presentation offers (RFC 8216 §4.3.4). Variables are replaced; URIs are as written.
package struct MasterPlaylist: Equatable, Sendable {
    package var version: Int?
    package var hasIndependentSegments = false
    package var start: StartPoint?
    package var variants: [Variant] = []
    package var renditions: [Rendition] = []
    /// `EXT-X-I-FRAME-STREAM-INF`: pictures to seek by.
    package var iFrameStreams: [Variant] = []
    package var sessionData: [SessionData] = []
    /// `EXT-X-SESSION-KEY`: keys that the media playlists will name.
    package var sessionKeys: [MediaKey] = []
    /// What media playlists may import (`EXT-X-DEFINE:IMPORT`).
    package var variables: [String: String] = [:]

    package init() {}
}

/// One encoding of the presentation.
package struct Variant: Equatable, Sendable {
    package var uri: String
    /// As written, with unknown ones, but without `URI`.
    package var attributes: AttributeList
    /// The peak, in bits a second; 0 where it isn't told.
    package var bandwidth: UInt64
    /// RFC 6381.
    package var codecs: [String]
    package var pictureSize: PictureSize?
    /// Pictures a second.
    package var frameRate: Double?

    /// The groups of renditions that play with this variant, at most one of each kind.
    package var groups: [RenditionGroup] {
        Rendition.Kind.allCases.compactMap { kind in
            // CLOSED-CAPTIONS=NONE is an enumerated string, a group a quoted one.
            guard let attribute = attributes[kind.rawValue], attribute.isQuoted else { return nil }
            return RenditionGroup(kind: kind, name: attribute.value)
        }
    }
}

/// An alternative for a part of the presentation (`EXT-X-MEDIA`).
package struct Rendition: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case audio = "AUDIO"
        case video = "VIDEO"
        case subtitles = "SUBTITLES"
        case closedCaptions = "CLOSED-CAPTIONS"
    }

    package var group: RenditionGroup
    package var name: String
    /// RFC 5646.
    package var language: String?
    package var isDefault: Bool
    package var isAutoselected: Bool
    /// Nil: it is part of the variants' own segments.
    package var uri: String?
    /// As written, with unknown ones, but without `URI`.
    package var attributes: AttributeList

    package var kind: Kind { group.kind }
}

/// The renditions of one kind that a player chooses from.
package struct RenditionGroup: Hashable, Sendable {
    package let kind: Rendition.Kind
    /// `GROUP-ID`.
    package let name: String
}

/// `EXT-X-SESSION-DATA`.
package struct SessionData: Equatable, Sendable {
    /// Of a resource; nil where the attributes have the value itself.
    package var uri: String?
    /// As written, but without `URI`.
    package var attributes: AttributeList
}
