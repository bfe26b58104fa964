import Glibc
import Platform

/// Writes one file after the other, in large pieces, and takes the digest on the way. Each worker has its own.
final class FileWriter {
    /// A part of a file that is about to be written.
    struct Piece {
        let bytes: Int64
        /// The file's length with this piece.
        let fileBytes: Int64
        let isHole: Bool
    }

    /// Nil when all is read and checked, and nothing is created.
    private let directory: Directory?
    private let policy: ExtractionPolicy
    private let observer: UnpackObserver
    /// Nil where nobody wants to know.
    private let hasher: SHA256?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)

    init(into directory: Directory?, policy: ExtractionPolicy, observer: UnpackObserver) {
        self.directory = directory
        self.policy = policy
        self.observer = observer
        hasher = observer.takesDigests ? SHA256() : nil
    }

    deinit { buffer.deallocate() }

    /// Creates the file at `path`, which must not be there, with all of `content`; where that is a hole, so is the file.
    /// - Parameters:
    ///   - mode: the archive's; only whether anybody may execute the file is kept.
    ///   - charge: called for each piece, before it is written.
    /// - Returns: what is told of it; nil where nothing is created.
    func extract(
        _ content: any ByteStream, to path: RelativePath, mode: UInt32, modified: Timestamp?,
        charge: (Piece) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> ExtractedEntry? {
        guard let directory else {
            try read(content, charge: charge) { bytes, piece in
                observer.didExamine?(path, bytes, piece.fileBytes - piece.bytes)
            }
            return nil
        }
        let isExecutable = mode & 0o111 != 0
        let time = policy.preservesTimes ? modified : nil
        let size = try write(
            content, to: path, in: directory, isExecutable: isExecutable, modified: time, charge: charge)
        return ExtractedEntry(
            file: path, sizeBytes: size, digest: hasher?.finalize(), isExecutable: isExecutable, modified: time)
    }

    /// Gives a file that stands at `path` already what the archive says of it beside its content.
    func adopt(
        _ path: RelativePath, sizeBytes: Int64, digest: SHA256Digest, mode: UInt32, modified: Timestamp?
    ) throws(ArchiveError) -> ExtractedEntry? {
        guard let directory else { return nil }
        let isExecutable = mode & 0o111 != 0
        let time = policy.preservesTimes ? modified : nil
        do throws(SystemError) {
            let file = try directory.open(path, flags: O_RDONLY | O_NONBLOCK)
            try complete(file, isExecutable: isExecutable, modified: time)
        } catch { throw ArchiveError(writing: error, entry: path.description) }
        return ExtractedEntry(
            file: path, sizeBytes: sizeBytes, digest: digest, isExecutable: isExecutable, modified: time)
    }

    private func complete(
        _ file: OwnedDescriptor, isExecutable: Bool, modified: Timestamp?
    ) throws(SystemError) {
        try file.setMode(isExecutable ? 0o755 : 0o644)
        if let modified { try file.setModificationTime(modified) }
    }

    /// Creates the file, and feeds the running digest with all of it.
    /// - Returns: its length.
    private func write(
        _ content: any ByteStream, to path: RelativePath, in directory: Directory, isExecutable: Bool,
        modified: Timestamp?, charge: (Piece) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Int64 {
        let file = try create(path, in: directory)
        var writeback = Writeback(isWanted: observer.startsWriteback)
        hasher?.reset()
        let size = try read(content, charge: charge) { (bytes, piece) throws(ArchiveError) in
            hasher?.update(bytes)
            if !piece.isHole {
                do throws(SystemError) { try file.write(bytes, at: piece.fileBytes - piece.bytes) } catch {
                    throw ArchiveError(writing: error, entry: path.description)
                }
                writeback.note(bytes.count, of: file)
            }
            observer.didWrite(bytes.count)
        }
        writeback.finish(file)
        do throws(SystemError) {
            if content is SparseStream { try file.truncate(to: size) }
            try complete(file, isExecutable: isExecutable, modified: modified)
        } catch { throw ArchiveError(writing: error, entry: path.description) }
        return size
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
            try observer.checkStop()
            let bytes = try nextPiece(of: content)
            if bytes.isEmpty { return size }
            size += Int64(bytes.count)
            let piece = Piece(bytes: Int64(bytes.count), fileBytes: size, isHole: sparse?.lastPieceIsHole ?? false)
            try charge(piece)
            try take(bytes, piece)
        }
    }

    /// What is in memory as a whole isn't copied.
    private func nextPiece(of content: any ByteStream) throws(ArchiveError) -> UnsafeRawBufferPointer {
        if let whole = (content as? WholeContent)?.takeWhole() { return whole }
        return UnsafeRawBufferPointer(rebasing: buffer[..<(try content.read(into: buffer))])
    }

    private func create(_ path: RelativePath, in directory: Directory) throws(ArchiveError) -> OwnedDescriptor {
        do { return try directory.open(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) } catch {
            throw ArchiveError(creating: error, entry: path.description)
        }
    }
}

/// When the disk is told to begin with what was written of a file.
private struct Writeback {
    let isWanted: Bool
    private var waitingBytes = 0

    /// Less is better left for the kernel to put together with its neighbours.
    private static let worthwhileBytes = 64 << 10
    /// So much of a file that isn't complete is begun with at once.
    private static let batchBytes = 8 << 20

    init(isWanted: Bool) { self.isWanted = isWanted }

    mutating func note(_ bytes: Int, of file: OwnedDescriptor) {
        waitingBytes += bytes
        if waitingBytes >= Self.batchBytes { finish(file) }
    }

    mutating func finish(_ file: OwnedDescriptor) {
        if isWanted, waitingBytes >= Self.worthwhileBytes { file.startWriteback() }
        waitingBytes = 0
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
