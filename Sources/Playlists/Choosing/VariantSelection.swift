import Platform

/// What of a presentation to keep. Without any wish: the variant of the highest bandwidth with its default renditions.
package struct VariantSelection: Equatable, Sendable {
    /// Bits a second.
    package var minBandwidth: UInt64?
    /// Bits a second.
    package var maxBandwidth: UInt64?
    package var largestPicture: PictureSize?
    /// Codecs that can be played (RFC 6381), `avc1` for all its profiles; empty: any.
    package var codecs: [String] = []
    package var highestFrameRate: Double?
    /// Languages (RFC 5646), `en` for `en-US` too; empty: the default rendition.
    package var audio: [String] = []
    /// Languages; empty: those that are shown by default.
    package var subtitles: [String] = []
    /// Every variant and every rendition, whatever else is wished for.
    package var takesAll = false

    package init() {}

    /// Why a variant is not among those to choose from; nil when it is. What a variant doesn't tell is not held against it.
    func objection(to variant: Variant) -> PlaylistChoice.Reason? {
        if let maxBandwidth, variant.bandwidth > maxBandwidth { return .bandwidthTooHigh }
        if let minBandwidth, variant.bandwidth < minBandwidth { return .bandwidthTooLow }
        if let largestPicture, let size = variant.pictureSize, !size.fits(in: largestPicture) {
            return .pictureTooLarge
        }
        if let highestFrameRate, let rate = variant.frameRate, rate > highestFrameRate { return .frameRateTooHigh }
        if !codecs.isEmpty, !variant.codecs.allSatisfy(isPlayable) { return .codecNotWanted }
        return nil
    }

    private func isPlayable(_ codec: String) -> Bool { codecs.contains { $0 == codec || codec.hasPrefix($0 + ".") } }
}
