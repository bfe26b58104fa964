import CLinux
import Glibc

/// A file descriptor with one owner: closed when the last reference goes, and never inherited by a child process.
package final class OwnedDescriptor: Sendable {
    package let rawValue: Int32
    private let base: String
    private let path: RelativePath?

    /// What it refers to, for messages; already safe to print. Put together when it is asked for: of most files nothing is ever said.
    package var name: String { path.map { Self.name(of: $0, in: base) } ?? base }

    /// A path beneath a folder, for messages.
    static func name(of path: RelativePath, in folder: String) -> String {
        folder.utf8.last == UInt8(ascii: "/") ? "\(folder)\(path)" : "\(folder)/\(path)"
    }

    /// Takes over `rawValue`, which nobody else may close.
    package init(adopting rawValue: Int32, name: String) {
        self.rawValue = rawValue
        base = name
        path = nil
    }

    /// The same of what is at `path` in a directory of that name.
    init(adopting rawValue: Int32, path: RelativePath, inDirectory name: String) {
        self.rawValue = rawValue
        base = name
        self.path = path
    }

    deinit { Glibc.close(rawValue) }

    /// Opens `path` relative to the working directory, following links: for paths that the operator named.
    /// - Parameter mode: permission bits for a created file, before the umask.
    package static func open(_ path: String, flags: Int32, mode: mode_t = 0o666) throws(SystemError) -> OwnedDescriptor
    {
        let descriptor = retryingInterrupts { larder_openat(AT_FDCWD, path, flags | O_CLOEXEC, mode) }
        guard descriptor >= 0 else { throw .last("open", escapedText(path)) }
        return OwnedDescriptor(adopting: descriptor, name: escapedText(path))
    }

    /// Opens the regular file at `path`, following links: for paths that the operator named. Anything else is refused at once: what reads from a
    /// pipe, a terminal or a device may wait for ever, or never come to an end.
    package static func openRegularFile(_ path: String) throws(SystemError) -> OwnedDescriptor {
        let file = try open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        switch try file.status().kind {
        case .file: return file
        case .directory: throw SystemError(code: EISDIR, operation: "read", subject: file.name)
        default:
            throw SystemError(code: EINVAL, operation: "read", subject: "\(file.name), which is no regular file")
        }
    }

    /// What the descriptor refers to right now.
    package func status() throws(SystemError) -> FileStatus {
        var raw = stat()
        guard fstat(rawValue, &raw) == 0 else { throw .last("inspect", name) }
        return FileStatus(raw)
    }

    /// Reads up to `buffer.count` bytes at the descriptor's own position; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = retryingInterrupts { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw .last("read", name) }
        return count
    }

    /// Reads at `offset` what one call brings, up to `buffer.count` bytes; 0 at the end of the file.
    package func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        let count = retryingInterrupts { pread(rawValue, buffer.baseAddress, buffer.count, Int(offset)) }
        guard count >= 0 else { throw .last("read", name) }
        return count
    }

    /// Reads up to `buffer.count` bytes at `offset`; fewer only at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = retryingInterrupts { pread(rawValue, rest.baseAddress, rest.count, Int(offset) + done) }
            guard count >= 0 else { throw .last("read", name) }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `bytes` at the descriptor's own position.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = retryingInterrupts { Glibc.write(rawValue, rest.baseAddress, rest.count) }
            guard count >= 0 else { throw .last("write", name) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Writes all of `bytes` at `offset`.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = retryingInterrupts { pwrite(rawValue, rest.baseAddress, rest.count, Int(offset) + done) }
            guard count >= 0 else { throw .last("write", name) }
            done += count
        }
    }

    /// Writes all of `bytes` at the descriptor's own position.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemError) in try write(buffer) }
        }
        try result.get()
    }

    /// Reads to the end of the file.
    /// - Parameter limitBytes: how much is taken at most; a longer file fails with `EFBIG`.
    package func readAll(limitBytes: Int) throws(SystemError) -> [UInt8] {
        // At once what a file needs: growing step by step would copy it over and over. Pipes have no size.
        var result = try readBeginning(min(max(Int(try status().sizeBytes), 0), limitBytes))
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = try read(into: chunk)
            if count == 0 { return result }
            guard count <= limitBytes - result.count else {
                throw SystemError(code: EFBIG, operation: "read", subject: name)
            }
            result += chunk[..<count]
        }
    }

    /// Reads so many bytes, or to the end.
    private func readBeginning(_ byteCount: Int) throws(SystemError) -> [UInt8] {
        var outcome: Result<Void, SystemError> = .success(())
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
            LargePages.prefer(buffer.baseAddress, byteCount: byteCount)
            while filled < byteCount {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                do throws(SystemError) {
                    let count = try read(into: rest)
                    if count == 0 { return }
                    filled += count
                } catch {
                    outcome = .failure(error)
                    return
                }
            }
        }
        try outcome.get()
        return bytes
    }

    /// Cuts the file, or extends it with zeros, to `lengthBytes`.
    package func truncate(to lengthBytes: Int64) throws(SystemError) {
        guard retryingInterrupts({ ftruncate(rawValue, Int(lengthBytes)) }) == 0 else { throw .last("truncate", name) }
    }

    /// Flushes content and metadata to the disk (`fsync`).
    package func synchronize() throws(SystemError) {
        guard retryingInterrupts({ fsync(rawValue) }) == 0 else { throw .last("flush", name) }
    }

    /// Flushes content, and the metadata needed to read it back, to the disk (`fdatasync`).
    package func synchronizeData() throws(SystemError) {
        guard retryingInterrupts({ fdatasync(rawValue) }) == 0 else { throw .last("flush", name) }
    }

    /// Asks the kernel to start writing the content back, without waiting: of many files that are flushed in turn, the first flush then
    /// waits for all and the others find little left to do. Where the kernel can't, the flush does it alone.
    package func startWriteback() { _ = sync_file_range(rawValue, 0, 0, UInt32(SYNC_FILE_RANGE_WRITE)) }

    /// Makes this empty file share the extents of `source`.
    /// - Returns: false where the file system can't, or the two are not on the same one; nothing has changed then.
    package func cloneContent(of source: OwnedDescriptor) throws(SystemError) -> Bool {
        if larder_clone(rawValue, source.rawValue) == 0 { return true }
        switch errno {
        case EOPNOTSUPP, ENOTTY, ENOSYS, EXDEV, EINVAL, EPERM, ETXTBSY: return false
        default: throw .last("clone", "\(source.name) to \(name)")
        }
    }

    /// Appends the bytes of `source`, from its start, at this descriptor's own position, without taking them out of the kernel.
    func copyContent(of source: OwnedDescriptor) throws(SystemError) {
        var offset: off_t = 0
        while true {
            let count = retryingInterrupts { sendfile(rawValue, source.rawValue, &offset, 1 << 30) }
            guard count >= 0 else { throw .last("copy", "\(source.name) to \(name)") }
            if count == 0 { return }
        }
    }

    /// Flushes everything that was written to the file system the descriptor is on, by whomever, to the disk (`syncfs`): for many files far
    /// cheaper than a flush of each. Also fails, once, for a write that failed since the descriptor was opened.
    /// - Returns: false, and has done nothing, on a file system whose server isn't told to flush (FUSE).
    package func synchronizeFileSystem() throws(SystemError) -> Bool {
        var raw = statfs()
        guard fstatfs(rawValue, &raw) == 0 else { throw .last("inspect the file system of", name) }
        if Int(raw.f_type) == Int(FUSE_SUPER_MAGIC) { return false }
        guard retryingInterrupts({ syncfs(rawValue) }) == 0 else { throw .last("flush the file system of", name) }
        return true
    }

    /// Sets the permission bits, whatever the umask is.
    package func setMode(_ mode: mode_t) throws(SystemError) {
        guard fchmod(rawValue, mode) == 0 else { throw .last("set the mode of", name) }
    }

    /// Gives the file to another user and group, which as a rule only root can.
    func setOwner(_ user: uid_t, _ group: gid_t) throws(SystemError) {
        guard fchown(rawValue, user, group) == 0 else { throw .last("set the owner of", name) }
    }

    /// Sets the modification time; the access time stays.
    package func setModificationTime(_ time: Timestamp) throws(SystemError) {
        let times = [timespec(tv_sec: 0, tv_nsec: larder_utime_omit), time.timespec]
        guard futimens(rawValue, times) == 0 else { throw .last("set the time of", name) }
    }

    /// Takes a kernel lock (`flock`) that dies with the last descriptor of this open file.
    /// - Returns: false when somebody else holds it.
    package func lock(exclusive: Bool) throws(SystemError) -> Bool {
        let operation = (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB
        if retryingInterrupts({ flock(rawValue, operation) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw .last("lock", name)
    }

    /// Gives a kernel lock up at once, even where a child that is just being started still has a copy of the descriptor.
    package func unlock() { _ = flock(rawValue, LOCK_UN) }

    /// Bytes that an ordinary user may still write to the file system the descriptor is on.
    package func freeBytes() throws(SystemError) -> Int64 { try fileSystemSpace().free }

    /// Free bytes for an ordinary user, and all bytes, of the file system the descriptor is on.
    package func fileSystemSpace() throws(SystemError) -> (free: Int64, total: Int64) {
        var raw = statvfs()
        guard fstatvfs(rawValue, &raw) == 0 else { throw .last("measure the free space of", name) }
        func bytes(_ blocks: UInt) -> Int64 {
            let product = UInt64(blocks).multipliedReportingOverflow(by: UInt64(raw.f_frsize))
            return product.overflow ? .max : Int64(clamping: product.partialValue)
        }
        return (bytes(raw.f_bavail), bytes(raw.f_blocks))
    }
}
