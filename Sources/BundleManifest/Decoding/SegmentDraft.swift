/// The keys of an element of `segments`.
struct SegmentDraft: SourceHolder {
    var path = ""
    var source = SourceDraft()
    var duration: Duration?

    var entry: SegmentEntry { SegmentEntry(path: path, source: source.source, duration: duration) }

    static let table = ObjectTable<SegmentDraft>(
        "a segment",
        [
            Field(
                "path", .segmentPath, .required,
                about: "Where the segment goes in its bundle, with / between folders"
            ) { $0.path = $1 },
            Field(
                "urls", .urls, .required,
                about: "Sources of the same bytes, in order of preference"
            ) { $0.source.urls = $1 },
            Field("size", .fileSize, about: "Bytes of the segment") { $0.source.sizeBytes = $1 },
            Field("sha256", .digest, about: "Digest of the segment, as sha256sum prints it") { $0.source.digest = $1 },
            Field("duration", .duration, about: "Seconds that the segment plays") { $0.duration = $1 },
        ])
}
