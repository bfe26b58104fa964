import Glibc
import Platform
import Transfer

/// A private copy of a local file, digest taken on the way.
struct LocalCopy: Sendable {
    let file: UnnamedFile
    let sizeBytes: Int64
    let digest: SHA256Digest

    /// Copies the regular file that `url` names into `directory`'s file system.
    /// - Parameters:
    ///   - sizeBytes: how long it has to be; nil: as long as it is when it is opened.
    ///   - isStopped: asked between pieces of 1 MiB.
    ///   - didWrite: told the bytes of each piece.
    init(
        of url: TransferURL, sizeBytes: Int64?, in directory: Directory, isStopped: @Sendable () -> Bool,
        didWrite: @Sendable (Int64) -> Void
    ) throws(BundleFailure) {
        let source: OwnedDescriptor
        do throws(SystemError) {
            source = try OwnedDescriptor.openRegularFile(String(decoding: url.decodedPath, as: UTF8.self))
        } catch {
            throw BundleFailure(.localFileFailed, "\(error)", url: "\(url)")
        }
        try self.init(
            of: source, url: "\(url)", sizeBytes: sizeBytes, in: directory, isStopped: isStopped, didWrite: didWrite)
    }

    /// Copies a regular file. Not a byte more is written than it has to have: one that grows while it is read must not fill the disk.
    /// - Parameter url: where it is, for people.
    /// - Throws: `sizeMismatch` for a file of another length; `localFileFailed` for one that can't be read; `libraryFailed` and `noSpace` where the copy
    ///   can't be written.
    init(
        of source: OwnedDescriptor, url: String, sizeBytes wanted: Int64?, in directory: Directory,
        isStopped: @Sendable () -> Bool, didWrite: @Sendable (Int64) -> Void
    ) throws(BundleFailure) {
        let found = try Self.reading(url) { () throws(SystemError) in try source.status().sizeBytes }
        let length = wanted ?? found
        guard found == length else {
            throw BundleFailure(
                .sizeMismatch, "the file has \(found) bytes where \(length) were asked for", url: url)
        }
        let target = try Self.writing { () throws(SystemError) in try UnnamedFile(in: directory) }
        let hasher = SHA256()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { piece.deallocate() }
        var done: Int64 = 0
        while true {
            if isStopped() { throw BundleFailure(.paused, "stopped") }
            let count = try Self.reading(url) { () throws(SystemError) in try source.read(into: piece, at: done) }
            if count == 0 { break }
            guard Int64(count) <= length - done else {
                throw BundleFailure(
                    .sizeMismatch, "the file grows while it is read: it has more than \(length) bytes by now", url: url)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
            hasher.update(bytes)
            try Self.writing { () throws(SystemError) in try target.descriptor.write(bytes, at: done) }
            done += Int64(count)
            didWrite(Int64(count))
        }
        guard done == length else {
            throw BundleFailure(
                .sizeMismatch, "the file was cut while it was read: \(done) of \(length) bytes came", url: url)
        }
        (file, sizeBytes, digest) = (target, done, hasher.finalize())
    }

    private static func reading<Result>(
        _ url: String, _ body: () throws(SystemError) -> Result
    ) throws(BundleFailure) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw BundleFailure(.localFileFailed, "\(error)", url: url)
        }
    }

    private static func writing<Result>(_ body: () throws(SystemError) -> Result) throws(BundleFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw BundleFailure(error) }
    }
}
