import Platform

/// The keys of a bundle.
struct BundleDraft: Draft {
    var id: BundleID?
    var title: String?
    var kind: BundleKind?
    var version: String?
    var source = SourceDraft()
    var filename: String?
    var unpack = UnpackDraft()
    var segments: Located<[SegmentEntry]>?
    var joinName: Located<String>?
    var joinDigest: Located<SHA256Digest>?
    var files: Located<[FileEntry]>?
    var selection = Selection()
    var end: Located<Timestamp>?
    var length: Duration?
    var gaps: Located<Bool>?
    var isDecrypted = false
    var priority = 0
    var isRequired = true
    var after: [Located<BundleID>] = []
    var tags: [String] = []
    var headers: [RequestHeader] = []

    static let table = ObjectTable<BundleDraft>(
        "a bundle", kindKey: "kind",
        [
            Field(
                "id", .folderName, .required,
                about: "The bundle's name in its manifest; what readers open is called so"
            ) { $0.id = $1 },
            Field("title", .text, about: "What people call it") { $0.title = $1 },
            Field(
                "kind", .word(), .required,
                about: "What it is made of, and so which other keys it has"
            ) { $0.kind = $1 },
            Field(
                "version", .text,
                about: "Free text that changes with the content; left out: derived from the digest"
            ) { $0.version = $1 },
            Field(
                "urls", .urls, .required, of: .singleSource,
                about: "Sources of the same bytes, in order of preference; relative ones are joined to the mirrors"
            ) { $0.source.urls = $1 },
            Field("size", .bytes, of: .singleSource, about: "Bytes of the download") { $0.source.sizeBytes = $1 },
            Field(
                "sha256", .digest, of: .singleSource,
                about: "Digest of the download, as sha256sum prints it"
            ) { $0.source.digest = $1 },
            Field(
                "filename", .filename, of: .packaged,
                about: "What a download that is kept whole is called; left out: the last component of its URL"
            ) { $0.filename = $1 },
            Field(
                "unpack", .object(UnpackDraft.table), of: .packaged,
                about: "How an archive is unpacked"
            ) { $0.unpack = $1 },
            Field(
                "segments", .segments, .required, of: [.segments],
                about: "The pieces, in the order they play"
            ) { $0.segments = $1 },
            Field(
                "join", .located(.joinName), of: [.segments],
                about: "Name of the one file that the segments make together"
            ) { $0.joinName = $1 },
            Field(
                "joinSHA256", .located(.digest), of: [.segments],
                about: "Digest of the joined file"
            ) { $0.joinDigest = $1 },
            Field("files", .files, .required, of: [.files], about: "Each file of the bundle") { $0.files = $1 },
            Field(
                "select", .selection, of: [.hls],
                about: "Which variants and renditions to take; left out: the best variant with the default renditions"
            ) { $0.selection = $1 },
            Field(
                "until", .located(.timestamp), of: [.hls],
                about: "When the copy of a live presentation ends, in UTC; left out, with follow: it must have an end"
            ) { $0.end = $1 },
            Field(
                "follow", .recordingLength, of: [.hls],
                about: "Seconds that the copy of a live presentation is to play"
            ) { $0.length = $1 },
            Field(
                "gaps", .located(.boolean), of: [.hls],
                about: "Whether the copy of a live presentation may lack what was lost on the way; false when left out"
            ) { $0.gaps = $1 },
            Field(
                "decrypt", .boolean, of: [.hls],
                about: "Whether encrypted segments are stored in the clear; false when left out"
            ) { $0.isDecrypted = $1 },
            Field("priority", .count, about: "Higher goes first; 0 when left out") { $0.priority = $1 },
            Field(
                "required", .boolean,
                about: "Whether its failure is an error and not only a warning; true when left out"
            ) { $0.isRequired = $1 },
            Field(
                "after", .list(of: .located(.id), "bundle ids"),
                about: "Ids of bundles that are to be complete before this one starts"
            ) { $0.after = $1 },
            Field("tags", .list(of: .text, "tags"), about: "Words of your own, for --tag") { $0.tags = $1 },
            Field(
                "headers", .headers,
                about: "Extra request headers, sent to the listed origins only. Secrets don't belong here"
            ) { $0.headers = $1 },
        ])
}
