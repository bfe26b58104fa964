import Platform

/// A file as a list names it; nothing of that has been judged.
struct ListedFile {
    /// The line of the list that it begins in.
    var line: Int
    /// Nil: what its first URL calls it.
    var name: String?
    /// What stands before the name that a URL gives: nothing, or folders, each with a slash.
    var folder: String?
    /// What it is called when its URL names no file either.
    var fallbackName: String?
    /// In order of preference.
    var urls: [String] = []
    /// In a folder that belongs to the list.
    var local: LocalFile?
    /// In decimal digits, as far as the list is right.
    var size: String?
    /// By what the list calls the algorithm.
    var digests: [(algorithm: String, hex: String)] = []
    /// What else the list says.
    var notes: [(key: String, value: String)] = []

    init(line: Int) { self.line = line }
}

/// A file that lies beside its list.
struct LocalFile: Sendable {
    let folder: SourceFolder
    let path: RelativePath
    let sizeBytes: Int64

    /// As a reference relative to the manifest or its mirrors.
    var url: String { folder.urlPrefix + SourcePath.url(path) }
}

/// A file that can be in a manifest.
struct ImportedFile: Sendable {
    let path: String
    let urls: [String]
    let local: LocalFile?
    var sizeBytes: Int64?
    var digest: SHA256Digest?
    /// By other algorithms.
    let otherDigests: [DigestAlgorithm: [UInt8]]
    let notes: [Note]
    /// In its list, for messages.
    let place: String

    struct Note: Sendable {
        /// Without the `x-` that it gets in a manifest.
        let key: String
        let value: String
    }
}
