import Platform

/// Which variants and renditions of an HLS presentation to keep.
package struct Selection: Sendable, Equatable {
    /// Bits a second.
    package var minBandwidth: Int?
    package var maxBandwidth: Int?
    /// The largest picture to take.
    package var resolution: PictureSize?
    /// Codecs that can be played (RFC 6381), `avc1`; empty: any.
    package var codecs: [String] = []
    /// The highest frame rate to take.
    package var frameRate: Double?
    /// Languages (BCP 47); empty: the default rendition.
    package var audio: [String] = []
    package var subtitles: [String] = []
    /// Every variant and rendition. Excludes the others.
    package var takesAll = false

    package init() {}
}
