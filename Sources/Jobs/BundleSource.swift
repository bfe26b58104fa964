import BundleManifest
import Playlists

/// One thing that has to be fetched for a bundle.
struct BundleSource: Sendable {
    /// Where it goes in the bundle; nil for the one source of a bundle that is unpacked or kept whole.
    let path: String?
    let file: SourceFile
    /// The part of the file that is wanted; nil: all of it.
    var byteRange: ByteRange?
    /// What it is decrypted with before it is stored.
    var encryption: SegmentEncryption?
    /// How long it plays; zero for what isn't played.
    var duration: Duration = .zero

    /// Whether the file is stored just as it comes.
    var isVerbatim: Bool { byteRange == nil && encryption == nil }
}
