import Platform

/// What the caller of an unpacking is asked and told while it runs. The closures are called on whatever thread does the work.
public struct UnpackObserver: Sendable {
    /// Asked between pieces of at most 256 KiB: true ends the unpacking with an error of the code `stopped`.
    public var shouldStop: @Sendable () -> Bool
    /// Told how many bytes have been written since the last call.
    public var didWrite: @Sendable (_ bytes: Int) -> Void
    /// Told of each file and link once it is complete, and of each directory at the end.
    public var didCreate: @Sendable (ExtractedEntry) -> Void

    /// An observer that never stops the work and ignores what it hears, but for the closures given.
    public init(
        shouldStop: @escaping @Sendable () -> Bool = { false },
        didWrite: @escaping @Sendable (_ bytes: Int) -> Void = { _ in },
        didCreate: @escaping @Sendable (ExtractedEntry) -> Void = { _ in }
    ) {
        self.shouldStop = shouldStop
        self.didWrite = didWrite
        self.didCreate = didCreate
    }
}

/// Something that an unpacking has created.
public struct ExtractedEntry: Hashable, Sendable {
    /// What it is.
    public enum Content: Hashable, Sendable {
        /// A regular file, with its length, its SHA-256 as 32 bytes, and whether its mode is 0755 rather than 0644.
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

    /// Where it is beneath the target, in the bytes the kernel was given.
    public var path: [UInt8] { relativePath.bytes }
    /// The modification time that was set, in seconds since 1970; nil when none was.
    public var modifiedSeconds: Int64? { modified?.seconds }
}

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
