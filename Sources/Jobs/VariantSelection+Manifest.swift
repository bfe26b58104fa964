import BundleManifest
import Playlists

extension VariantSelection {
    /// What a manifest's `select` asks for.
    package init(_ selection: Selection) {
        self.init()
        minBandwidth = selection.minBandwidth.flatMap { UInt64(exactly: $0) }
        maxBandwidth = selection.maxBandwidth.flatMap { UInt64(exactly: $0) }
        largestPicture = selection.resolution
        codecs = selection.codecs
        highestFrameRate = selection.frameRate
        audio = selection.audio
        subtitles = selection.subtitles
        takesAll = selection.takesAll
    }
}
