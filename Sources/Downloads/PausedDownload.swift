import Platform

/// A paused download as it lies in a store.
public struct PausedDownload: Sendable {
    /// The URL it was asked from; nil when the record beside it can't be read, and so nobody will go on with it. It may hold secrets.
    public let url: String?
    /// Bytes on the disk.
    public let heldBytes: Int64
    /// The asset's length; nil when it is unknown.
    public let totalBytes: Int64?
    /// What the disk gets back when it goes: nothing for bytes that have another name as well, less than all for a file with holes.
    package let diskBytes: Int64
    /// The digest its bytes are meant to have, where it was known.
    package let digest: SHA256Digest?
    /// When its last byte was written.
    package let modified: Timestamp
    let location: PartialFile.Location

    /// Makes ready to tell some of them from the others.
    package typealias Choice = @Sendable () -> (PausedDownload) -> Bool

    /// What it is called in its store.
    package var name: RelativePath { location.name }

    init(_ location: PartialFile.Location, _ status: FileStatus, _ record: ResumeData?) {
        url = record?.url
        if let record, record.mayHaveHoles {
            heldBytes = record.believable(fileBytes: status.sizeBytes, bootID: BootIdentity.current).countBytes
        } else {
            heldBytes = status.sizeBytes
        }
        totalBytes = record?.totalBytes
        diskBytes = status.linkCount == 1 ? status.allocatedBytes : 0
        digest = record?.digest
        modified = status.modified
        self.location = location
    }
}
