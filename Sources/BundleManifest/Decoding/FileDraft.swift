/// The keys of an element of `files`.
struct FileDraft: SourceHolder {
    var path = ""
    var source = SourceDraft()

    var entry: FileEntry { FileEntry(path: path, source: source.source) }

    static let table = ObjectTable<FileDraft>(
        "a file",
        [
            Field(
                "path", .path, .required,
                about: "Where the file goes in its bundle, with / between folders"
            ) { $0.path = $1 },
            Field(
                "urls", .urls, .required,
                about: "Sources of the same bytes, in order of preference"
            ) { $0.source.urls = $1 },
            Field("size", .fileSize, about: "Bytes of the file") { $0.source.sizeBytes = $1 },
            Field("sha256", .digest, about: "Digest of the file, as sha256sum prints it") { $0.source.digest = $1 },
        ])
}
