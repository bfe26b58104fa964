import Platform

/// Something that an unpacking has created.
public struct ExtractedEntry: Hashable, Sendable {
    /// What it is.
    public enum Content: Hashable, Sendable {
        /// A regular file, with its length, its SHA-256 as 32 bytes, and whether its mode is 0755 rather than 0644.
        /// The SHA-256 is empty where the caller said that it isn't wanted.
        case file(sizeBytes: Int64, sha256: [UInt8], isExecutable: Bool)
        /// A directory, mode 0755.
        case directory
        /// A symbolic link with its target.
        case symbolicLink(target: [UInt8])
    }

    package let relativePath: RelativePath
    /// What it is.
    public let content: Content
    package let modified: Timestamp?

    init(relativePath: RelativePath, content: Content, modified: Timestamp?) {
        self.relativePath = relativePath
        self.content = content
        self.modified = modified
    }

    /// A regular file.
    init(
        file path: RelativePath, sizeBytes: Int64, digest: SHA256Digest?, isExecutable: Bool, modified: Timestamp?
    ) {
        self.init(
            relativePath: path,
            content: .file(sizeBytes: sizeBytes, sha256: digest?.bytes ?? [], isExecutable: isExecutable),
            modified: modified)
    }

    /// The digest of a file's content.
    package var digest: SHA256Digest? {
        guard case .file(_, let sha256, _) = content else { return nil }
        return SHA256Digest(bytes: sha256)
    }

    /// Where it is beneath the target, in the bytes the kernel was given.
    public var path: [UInt8] { relativePath.bytes }
    /// The modification time that was set, in seconds since 1970; nil when none was.
    public var modifiedSeconds: Int64? { modified?.seconds }
}
