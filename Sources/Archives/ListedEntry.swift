/// What an archive says of one of its entries.
public struct ListedEntry: Hashable, Sendable {
    /// What an entry is.
    public enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        /// A directory.
        case directory
        /// A symbolic link.
        case symbolicLink
        /// A further name of a file.
        case hardLink
        /// A device, FIFO or socket, a volume label, or what goes on from another volume.
        case other
    }

    /// The name as the archive gives it, decoded as its format says. Not safe to print.
    public let name: [UInt8]
    /// What it is.
    public let kind: Kind
    /// The length of its content in bytes, unpacked.
    public let sizeBytes: Int64
    /// What that takes in the archive; nil where entries are not compressed one by one.
    public let packedBytes: Int64?
    /// How it is compressed: `stored`, `deflate` or the name of a method that is not read; nil where entries are not compressed one by one.
    public let method: String?
    /// The CRC-32 that the archive gives, or for a stream of one file the one it has; nil where there is none.
    public let crc32: UInt32?
    /// The modification time in seconds since 1970; nil where the archive gives none.
    public let modifiedSeconds: Int64?
    /// Where a tar's link leads, not safe to print; nil for anything else.
    public var linkTarget: [UInt8]?
    /// Why the name would be refused, in words; nil when it is safe by itself.
    public var problem: String?
}

extension ExtractionPolicy {
    /// Completes `entry` with what is to be said of its name.
    /// - Returns: nil when the name is safe and not selected.
    func listed(_ entry: ListedEntry) -> ListedEntry? {
        let name = 0..<entry.name.count
        do throws(ArchiveError) {
            let path = try EntryPath(judging: name, in: entry.name, policy: self)
            if selection.isEverything { return entry }
            let isDirectory = entry.kind == .directory
            return selection.selectedName(of: path, in: entry.name, isDirectory: isDirectory).map { _ in entry }
        } catch {
            var entry = entry
            entry.problem = error.reason
            return entry
        }
    }
}
