import Glibc
import Platform

/// Writes one file after the other, in large pieces, and takes the digest on the way. Each worker has its own.
final class FileWriter {
    /// What can't be known before the content has been read.
    struct Written {
        let sizeBytes: Int64
        let digest: SHA256Digest
    }

    /// A part of a file that is about to be written.
    struct Piece {
        let bytes: Int64
        /// The file's length with this piece.
        let fileBytes: Int64
        let isHole: Bool
    }

    private let directory: Directory
    private let observer: UnpackObserver
    private let hasher = SHA256()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)

    init(directory: Directory, observer: UnpackObserver) {
        self.directory = directory
        self.observer = observer
    }

    deinit { buffer.deallocate() }

    /// Creates the file at `path`, which must not be there, with all of `content`; where that is a hole, so is the file.
    /// - Parameter charge: called for each piece, before it is written.
    func write(
        _ content: any ByteStream, to path: RelativePath, isExecutable: Bool, modified: Timestamp?,
        charge: (Piece) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Written {
        let file = try create(path)
        let sparse = content as? SparseStream
        var size: Int64 = 0
        hasher.reset()
        while true {
            if observer.shouldStop() { throw ArchiveError(.stopped, "stopped", entry: path.description) }
            let count = try content.read(into: buffer)
            if count == 0 { break }
            let isHole = sparse?.lastPieceIsHole ?? false
            try charge(Piece(bytes: Int64(count), fileBytes: size + Int64(count), isHole: isHole))
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hasher.update(bytes)
            if !isHole {
                do { try file.write(bytes, at: size) } catch {
                    throw ArchiveError(writing: error, entry: path.description)
                }
            }
            size += Int64(count)
            observer.didWrite(count)
        }
        do {
            if sparse != nil { try file.truncate(to: size) }
            try file.setMode(isExecutable ? 0o755 : 0o644)
            if let modified { try file.setModificationTime(modified) }
        } catch { throw ArchiveError(writing: error, entry: path.description) }
        return Written(sizeBytes: size, digest: hasher.finalize())
    }

    private func create(_ path: RelativePath) throws(ArchiveError) -> OwnedDescriptor {
        do { return try directory.open(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) } catch {
            throw ArchiveError(creating: error, entry: path.description)
        }
    }
}

extension ArchiveError {
    /// An error of making something new. That a name is taken, although no other entry has it, means that the file system folds names.
    init(creating error: SystemError, entry: String) {
        guard error.code == EEXIST else {
            self.init(writing: error, entry: entry)
            return
        }
        self.init(.unsafe, "the target already has, or takes for the same, another file of that name", entry: entry)
    }
}
