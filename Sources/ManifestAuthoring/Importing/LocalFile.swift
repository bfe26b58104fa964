import Platform

/// A file that lies beside its list.
struct LocalFile: Sendable {
    let folder: SourceFolder
    let path: RelativePath
    let sizeBytes: Int64

    /// As a reference relative to the manifest or its mirrors.
    var url: String { folder.urlPrefix + SourcePath.url(path) }
}
