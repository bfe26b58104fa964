import Glibc
import Platform

/// A regular file as a source of bytes.
public struct FileSource: ByteSource {
    private let file: OwnedDescriptor
    /// The file's name, made safe to print.
    public let name: String
    /// The file's length when it was opened.
    public let lengthBytes: Int64

    /// Opens the file at `path`, following links.
    /// - Throws: an error with the code `unreadable` when it can't be opened or is no regular file.
    public init(path: String) throws(ArchiveError) {
        let file: OwnedDescriptor
        do { file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK) } catch {
            throw ArchiveError(reading: error)
        }
        try self.init(file)
    }

    /// Reads from an open file, whose position is not used.
    /// - Parameter name: what messages call it, safe to print; nil for the descriptor's own name.
    package init(_ file: OwnedDescriptor, name: String? = nil) throws(ArchiveError) {
        let status: FileStatus
        do { status = try file.status() } catch { throw ArchiveError(reading: error) }
        guard status.kind == .file else { throw ArchiveError(.unreadable, "\(file.name) is no regular file") }
        self.file = file
        self.name = name ?? file.name
        lengthBytes = status.sizeBytes
    }

    /// Reads straight from the file.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        do { return try file.read(into: buffer, at: offset) } catch { throw ArchiveError(reading: error) }
    }
}
