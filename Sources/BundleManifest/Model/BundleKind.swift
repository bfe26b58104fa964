/// The `kind` of a bundle, as manifests spell it.
package enum BundleKind: String, Sendable, CaseIterable {
    case archive, textures, ebook, hls, segments, files
}

extension BundleKind {
    /// What happens to a download whose bundle says nothing about it.
    package var defaultUnpackFormat: UnpackFormat {
        switch self {
        case .archive, .textures: .auto
        case .ebook, .hls, .segments, .files: .none
        }
    }
}
