import Platform

extension StoredContent {
    /// Whether there is as much of it as its receipt says: so many files and links, and so many bytes in all. What a look tells that reads none of them.
    /// - Complexity: a system call a file.
    package var hasItsExtent: Bool {
        guard let directory = try? open(), let extent = try? Extent(of: directory) else { return false }
        return extent.entries == header.entryCount && extent.bytes == header.contentBytes
    }

    /// What a receipt counts.
    private struct Extent {
        var entries = 0
        /// Of files that are on one disk: their sum fits.
        var bytes: Int64 = 0

        init(of directory: Directory) throws(SystemError) {
            for name in try directory.names() {
                guard let status = try directory.status(of: name) else { continue }
                switch status.kind {
                case .directory:
                    let inner = try Extent(of: directory.subdirectory(name))
                    // An empty directory has an entry of its own.
                    entries += max(1, inner.entries)
                    bytes &+= inner.bytes
                case .file:
                    entries += 1
                    bytes &+= status.sizeBytes
                case .symbolicLink, .other: entries += 1
                }
            }
        }
    }
}
