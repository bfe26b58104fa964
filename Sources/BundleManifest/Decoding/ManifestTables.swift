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
    var bundles: [BundleDraft] = []

    static let table = ObjectTable<ManifestDraft>(
        "a manifest",
        [
            // Checked, and then known.
            Field("format", .formatName, .required) { _, _ in },
            Field("id", .id, .required) { $0.id = $1 },
            Field("serial", .positive, .required) { $0.serial = $1 },
            Field("created", .timestamp) { $0.created = $1 },
            Field("expires", .located(.orNull(.timestamp))) { $0.expires = $1 },
            Field("mirrors", .mirrors) { $0.mirrors = $1 },
            Field("requires", .list(of: .requirement, "features")) { $0.requirements = $1 },
            Field("bundles", .list(of: .bundle, "bundles", atLeast: 1), .required) { $0.bundles = $1 },
        ])
}

extension Set<BundleKind> {
    static let packaged: Self = [.archive, .textures, .ebook]
    static let singleSource: Self = [.archive, .textures, .ebook, .hls]
}

/// The keys of a bundle.
struct BundleDraft: Draft {
    /// Where it stands; every bundle that was read has one.
    var place: JSONValue?
    var id: Located<BundleID>?
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
    var priority = 0
    var isRequired = true
    var after: [Located<BundleID>] = []
    var tags: [String] = []
    var headers: [RequestHeader] = []

    static let table = ObjectTable<BundleDraft>(
        "a bundle", kindKey: "kind",
        [
            Field("id", .located(.id), .required) { $0.id = $1 },
            Field("title", .text) { $0.title = $1 },
            Field("kind", .word(), .required) { $0.kind = $1 },
            Field("version", .text) { $0.version = $1 },
            Field("urls", .urls, .required, of: .singleSource) { $0.source.urls = $1 },
            Field("size", .count, of: .singleSource) { $0.source.sizeBytes = $1 },
            Field("sha256", .digest, of: .singleSource) { $0.source.digest = $1 },
            Field("filename", .filename, of: .packaged) { $0.filename = $1 },
            Field("unpack", .object(UnpackDraft.table), of: .packaged) { $0.unpack = $1 },
            Field("segments", .segments, .required, of: [.segments]) { $0.segments = $1 },
            Field("join", .located(.joinName), of: [.segments]) { $0.joinName = $1 },
            Field("joinSHA256", .located(.digest), of: [.segments]) { $0.joinDigest = $1 },
            Field("files", .files, .required, of: [.files]) { $0.files = $1 },
            Field("select", .selection, of: [.hls]) { $0.selection = $1 },
            Field("priority", .count) { $0.priority = $1 },
            Field("required", .boolean) { $0.isRequired = $1 },
            Field("after", .list(of: .located(.id), "bundle ids")) { $0.after = $1 },
            Field("tags", .list(of: .text, "tags")) { $0.tags = $1 },
            Field("headers", .headers) { $0.headers = $1 },
        ])
}

/// Where bytes come from; a part of several tables.
struct SourceDraft: Sendable {
    var urls: [URLReference] = []
    var sizeBytes: Int?
    var digest: SHA256Digest?

    var source: SourceFile { SourceFile(urls: urls, sizeBytes: sizeBytes, digest: digest) }
}

/// The keys of an element of `files`.
struct FileDraft: Draft {
    var path = ""
    var source = SourceDraft()

    var entry: FileEntry { FileEntry(path: path, source: source.source) }

    static let table = ObjectTable<FileDraft>(
        "a file",
        [
            Field("path", .path, .required) { $0.path = $1 },
            Field("urls", .urls, .required) { $0.source.urls = $1 },
            Field("size", .fileSize) { $0.source.sizeBytes = $1 },
            Field("sha256", .digest) { $0.source.digest = $1 },
        ])
}

/// The keys of an element of `segments`.
struct SegmentDraft: Draft {
    var path = ""
    var source = SourceDraft()
    var duration: Duration?

    var entry: SegmentEntry { SegmentEntry(path: path, source: source.source, duration: duration) }

    static let table = ObjectTable<SegmentDraft>(
        "a segment",
        [
            Field("path", .segmentPath, .required) { $0.path = $1 },
            Field("urls", .urls, .required) { $0.source.urls = $1 },
            Field("size", .fileSize) { $0.source.sizeBytes = $1 },
            Field("sha256", .digest) { $0.source.digest = $1 },
            Field("duration", .duration) { $0.duration = $1 },
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
            Field("format", .word()) { $0.format = $1 },
            Field("strip", .count) { $0.strip = $1 },
            Field("include", .list(of: .pattern, "patterns")) { $0.include = $1 },
            Field("exclude", .list(of: .pattern, "patterns")) { $0.exclude = $1 },
            Field("preserve", .boolean) { $0.preservesTimes = $1 },
            Field("limits", .object(UnpackLimits.table)) { $0.limits = $1 },
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
            Field("entries", .positive) { $0.entries = $1 },
            Field("bytes", .positive) { $0.totalBytes = $1 },
            Field("entryBytes", .positive) { $0.entryBytes = $1 },
            Field("ratio", .number(1...1e9)) { $0.ratio = $1 },
            Field("depth", .positive) { $0.depth = $1 },
        ])
}

extension Selection: Draft {
    static let table = ObjectTable<Selection>(
        "select",
        [
            Field("maxBandwidth", .positive) { $0.maxBandwidth = $1 },
            Field("minBandwidth", .count) { $0.minBandwidth = $1 },
            Field("resolution", .resolution) { $0.resolution = $1 },
            Field("codecs", .list(of: .text, "codecs")) { $0.codecs = $1 },
            Field("frameRate", .number(1...1000)) { $0.frameRate = $1 },
            Field("audio", .list(of: .text, "languages")) { $0.audio = $1 },
            Field("subtitles", .list(of: .text, "languages")) { $0.subtitles = $1 },
            Field("all", .boolean) { $0.takesAll = $1 },
        ])
}
