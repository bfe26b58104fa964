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

    private let observer: UnpackObserver
    private let hasher = SHA256()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)

    init(observer: UnpackObserver) { self.observer = observer }

    deinit { buffer.deallocate() }

    /// Creates the file at `path`, which must not be there, with all of `content`; where that is a hole, so is the file.
    /// - Parameter charge: called for each piece, before it is written.
    func write(
        _ content: any ByteStream, to path: RelativePath, in directory: Directory, isExecutable: Bool,
        modified: Timestamp?, charge: (Piece) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Written {
        let file = try create(path, in: directory)
        hasher.reset()
        let size = try read(content, charge: charge) { (bytes, piece) throws(ArchiveError) in
            hasher.update(bytes)
            if !piece.isHole {
                do throws(SystemError) { try file.write(bytes, at: piece.fileBytes - piece.bytes) } catch {
                    throw ArchiveError(writing: error, entry: path.description)
                }
            }
            observer.didWrite(bytes.count)
        }
        do throws(SystemError) {
            if content is SparseStream { try file.truncate(to: size) }
            try file.setMode(isExecutable ? 0o755 : 0o644)
            if let modified { try file.setModificationTime(modified) }
        } catch { throw ArchiveError(writing: error, entry: path.description) }
        return Written(sizeBytes: size, digest: hasher.finalize())
    }

    /// Reads all of `content` in large pieces, and so checks whatever it checks itself.
    /// - Parameters:
    ///   - charge: called for each piece, before `take`.
    ///   - take: gets each piece.
    /// - Returns: how long the content is.
    @discardableResult
    func read(
        _ content: any ByteStream, charge: (Piece) throws(ArchiveError) -> Void,
        take: (UnsafeRawBufferPointer, Piece) throws(ArchiveError) -> Void = { _, _ in }
    ) throws(ArchiveError) -> Int64 {
        let sparse = content as? SparseStream
        var size: Int64 = 0
        while true {
            if observer.shouldStop() { throw ArchiveError(.stopped, "stopped") }
            let count = try content.read(into: buffer)
            if count == 0 { return size }
            size += Int64(count)
            let piece = Piece(bytes: Int64(count), fileBytes: size, isHole: sparse?.lastPieceIsHole ?? false)
            try charge(piece)
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), piece)
        }
    }

    private func create(_ path: RelativePath, in directory: Directory) throws(ArchiveError) -> OwnedDescriptor {
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
