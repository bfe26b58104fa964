import Platform

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
