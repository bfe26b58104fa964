import Diagnostics
import JSONSyntax
import Platform

/// The keys of a manifest.
struct ManifestDraft: Draft {
    var id: BundleID?
    var serial = 0
    var created: Timestamp?
    var expires: Located<Timestamp?>?
    var mirrors: [URLReference] = []
    var requirements: [String] = []
    var bundles: [DecodedBundle] = []

    static let table = ObjectTable<ManifestDraft>(
        "a manifest",
        [
            // Checked, and then known.
            Field(
                "format", .formatName, .required,
                about: "Always larder/1: what the text is, and how it is read"
            ) { _, _ in },
            Field(
                "id", .folderName, .required,
                about: "The manifest's name; a folder of the library is called so"
            ) { $0.id = $1 },
            Field(
                "serial", .positive, .required,
                about: "Raised with every change: a library refuses one lower than it has published"
            ) { $0.serial = $1 },
            Field("created", .timestamp, about: "When the manifest was made, in UTC") { $0.created = $1 },
            Field(
                "expires", .located(.orNull(.timestamp)),
                about: "Until when it may be followed, in UTC; null or left out: for ever"
            ) { $0.expires = $1 },
            Field(
                "mirrors", .mirrors,
                about:
                    "What relative URLs are joined to, in order of preference, each with a final slash; none: the place of the manifest itself"
            ) { $0.mirrors = $1 },
            Field(
                "requires", .list(of: .requirement, "features"),
                about: "Features that a reader must know to follow the manifest"
            ) { $0.requirements = $1 },
            Field(
                "bundles", .list(of: .bundle, "bundles", atLeast: 1), .required,
                about: "What is to be fetched and published"
            ) { $0.bundles = $1 },
        ])
}

extension BundleKinds {
    static let packaged: Self = [.archive, .textures, .ebook]
    static let singleSource: Self = [.archive, .textures, .ebook, .hls]
}

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
            Field("size", .count, of: .singleSource, about: "Bytes of the download") { $0.source.sizeBytes = $1 },
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

/// Where bytes come from; a part of several tables.
struct SourceDraft: Sendable {
    var urls: [URLReference] = []
    var sizeBytes: Int?
    var digest: SHA256Digest?

    var source: SourceFile { SourceFile(urls: urls, sizeBytes: sizeBytes, digest: digest) }
}

/// One source among the many of a list.
protocol SourceHolder: Draft {
    static var table: ObjectTable<Self> { get }
    var source: SourceDraft { get }
}

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

/// The keys of `unpack`.
struct UnpackDraft: Draft {
    var format: UnpackFormat?
    var strip = 0
    var include: [String] = []
    var exclude: [String] = []
    var preservesTimes = true
    var limits = UnpackLimits()

    static let table = ObjectTable<UnpackDraft>(
        "unpack",
        [
            Field(
                "format", .word(),
                about: "What the download is; auto looks at its first bytes. auto when left out, for an ebook none"
            ) { $0.format = $1 },
            Field(
                "strip", .count,
                about: "Leading components to drop from every path; 0 when left out"
            ) { $0.strip = $1 },
            Field(
                "include", .list(of: .pattern, "patterns"),
                about: "Patterns of .gitignore for what to take; none: everything"
            ) { $0.include = $1 },
            Field(
                "exclude", .list(of: .pattern, "patterns"),
                about: "Patterns of .gitignore for what to leave out, stronger than include"
            ) { $0.exclude = $1 },
            Field(
                "preserve", .boolean,
                about: "Whether files keep the times of the archive; true when left out"
            ) { $0.preservesTimes = $1 },
            Field(
                "limits", .object(UnpackLimits.table),
                about: "What the archive may grow to; the stricter of these and the operator's holds"
            ) { $0.limits = $1 },
        ])

    func options(for kind: BundleKind) -> UnpackOptions {
        UnpackOptions(
            format: format ?? kind.defaultUnpackFormat, strip: strip, include: include, exclude: exclude,
            preservesTimes: preservesTimes, limits: limits)
    }
}

extension UnpackLimits: Draft {
    static let table = ObjectTable<UnpackLimits>(
        "limits",
        [
            Field("entries", .positive, about: "Files and folders in the archive") { $0.entries = $1 },
            Field("bytes", .positive, about: "Bytes of all files together") { $0.totalBytes = $1 },
            Field("entryBytes", .positive, about: "Bytes of one file") { $0.entryBytes = $1 },
            Field("ratio", .number(1...1_000_000_000), about: "Unpacked bytes for each packed one") { $0.ratio = $1 },
            Field("depth", .positive, about: "Components of a path") { $0.depth = $1 },
        ])
}

extension Selection: Draft {
    static let table = ObjectTable<Selection>(
        "select",
        [
            Field(
                "maxBandwidth", .positive,
                about: "Bits a second of the largest variant to take"
            ) { $0.maxBandwidth = $1 },
            Field(
                "minBandwidth", .count,
                about: "Bits a second of the smallest variant to take"
            ) { $0.minBandwidth = $1 },
            Field(
                "resolution", .resolution,
                about: "The largest picture to take, as WIDTHxHEIGHT"
            ) { $0.resolution = $1 },
            Field(
                "codecs", .list(of: .text, "codecs"),
                about: "Codecs that can be played, as RFC 6381 writes them; none: any"
            ) { $0.codecs = $1 },
            Field("frameRate", .number(1...1000), about: "The highest frame rate to take") { $0.frameRate = $1 },
            Field(
                "audio", .list(of: .text, "languages"),
                about: "Languages of audio (BCP 47); none: the default rendition"
            ) { $0.audio = $1 },
            Field(
                "subtitles", .list(of: .text, "languages"),
                about: "Languages of subtitles (BCP 47)"
            ) { $0.subtitles = $1 },
            Field(
                "all", .boolean,
                about: "Takes every variant and rendition; no other key goes with it"
            ) { $0.takesAll = $1 },
        ])
}
