/// How an archive is unpacked.
package struct UnpackOptions: Sendable, Equatable {
    package let format: UnpackFormat
    /// Leading path components to drop; entries with no more are left out.
    package let strip: Int
    /// Patterns of what to take, applied to paths as they are after dropping; empty: everything.
    package let include: [String]
    /// Patterns of what to leave out, stronger than `include`.
    package let exclude: [String]
    /// Whether files keep the archive's modification times; true unless given.
    package let preservesTimes: Bool
    package let limits: UnpackLimits
}

/// The `format` of `unpack`, as manifests spell it.
package enum UnpackFormat: String, Sendable, CaseIterable {
    /// By the first bytes.
    case auto
    case zip, tar
    case tarGzip = "tar.gz"
    case gzip, zlib, deflate
    /// Kept whole.
    case none
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

/// What an archive may grow to. The stricter of these and the operator's limits wins; nil: the manifest asks for no limit.
package struct UnpackLimits: Sendable, Equatable {
    package var entries: Int?
    package var totalBytes: Int?
    package var entryBytes: Int?
    /// Unpacked bytes for each packed one.
    package var ratio: Double?
    /// Path components of an entry.
    package var depth: Int?

    package init() {}
}
