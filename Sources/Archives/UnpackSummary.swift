/// How an unpacking went.
public struct UnpackSummary: Hashable, Sendable {
    /// What the archive was taken for.
    public let format: ArchiveFormat
    /// Regular files that were created, further names of the same file included.
    public let files: Int
    /// Bytes written to them.
    public let bytes: Int64
    /// Whether the archive's own structure shows that nothing is missing at its end: a zip's directory, a tar's end mark, the end of a zlib or
    /// deflate stream. A gzip file might have had another member.
    public let isProvenWhole: Bool
    /// What was odd and stopped nothing; a line each, safe to print.
    public let warnings: [String]
}
