/// How an unpacking went.
public struct UnpackSummary: Hashable, Sendable {
    /// What the archive was taken for.
    public let format: ArchiveFormat
    /// Regular files that were created, further names of the same file included.
    public internal(set) var files = 0
    /// Bytes written to them.
    public internal(set) var bytes: Int64 = 0
    /// What was odd and stopped nothing; a line each, safe to print.
    public internal(set) var warnings: [String] = []
}
