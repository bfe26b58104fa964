/// What a bundle is made of.
package enum BundleContent: Sendable, Equatable {
    case archive(PackagedFile)
    /// An archive of images.
    case textures(PackagedFile)
    case ebook(PackagedFile)
    case hls(Presentation)
    case segments(SegmentList)
    /// At least one.
    case files([FileEntry])

    package var kind: BundleKind {
        switch self {
        case .archive: .archive
        case .textures: .textures
        case .ebook: .ebook
        case .hls: .hls
        case .segments: .segments
        case .files: .files
        }
    }
}
