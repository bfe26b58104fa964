/// A resource that a copy needs, and where it is put.
package struct PlannedResource: Equatable, Sendable {
    package enum Role: Equatable, Sendable {
        case segment
        case initializationSection
        case key
        case sessionData
    }

    /// Absolute.
    package let url: String
    /// Nil: all of it.
    package let byteRange: ByteRange?
    /// In the bundle: components of letters, digits, `-`, `_` and `.`, with a slash between them.
    package let path: String
    /// What it is first used as.
    package let role: Role
    /// How long it plays where it is used first; zero for what isn't played.
    package let duration: Duration
    /// What it is decrypted with before it is stored; nil: it is stored as it comes.
    package var encryption: SegmentEncryption?
    /// The same in redundant variants, in order of preference. Absolute.
    package var mirrors: [String] = []
}

/// What a resource is encrypted with, all of it: AES-128 in CBC mode with PKCS #7 padding (RFC 8216 §4.3.2.4).
package struct SegmentEncryption: Hashable, Sendable {
    /// Absolute.
    package let keyURL: String
    package let vector: InitializationVector
}

/// A playlist of a copy: all its URIs are relative, and name what the plan has.
package struct PlannedPlaylist: Equatable, Sendable {
    package let path: String
    package let content: Playlist
    /// How long it plays, by the playlist that it is a copy of, without what that has gaps for; nil where nobody knows.
    package let originalDuration: Duration?

    package init(path: String, content: Playlist, originalDuration: Duration? = nil) {
        self.path = path
        self.content = content
        self.originalDuration = originalDuration
    }
}
