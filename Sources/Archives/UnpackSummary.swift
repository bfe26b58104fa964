/// How an unpacking went.
public struct UnpackSummary: Hashable, Sendable {
    /// What the archive was taken for.
    public let format: ArchiveFormat
    /// Regular files that were created, further names of the same file included.
    public let files: Int
    /// Bytes written to them.
    public let bytes: Int64
    /// What was odd and stopped nothing; a line each, safe to print.
    public let warnings: [String]
}
