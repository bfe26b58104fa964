import Glibc
import Platform
import Transfer

/// A private copy of a local file, digest taken on the way. It has no name until it is placed, so a crash leaves nothing behind.
struct LocalCopy: Sendable {
    let descriptor: OwnedDescriptor
    let sizeBytes: Int64
    let digest: SHA256Digest

    /// Copies the regular file that `url` names into `directory`'s file system.
    /// - Parameters:
    ///   - isStopped: asked between pieces of 1 MiB.
    ///   - didWrite: told the bytes of each piece.
    init(
        of url: TransferURL, in directory: Directory, isStopped: @Sendable () -> Bool,
        didWrite: @Sendable (Int64) -> Void
    ) throws(BundleFailure) {
        let path = String(decoding: url.decodedPath, as: UTF8.self)
        let source: OwnedDescriptor
        do {
            // Not blocking: a FIFO without a writer is refused below, not waited for.
            source = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
            guard try source.status().kind == .file else {
                throw BundleFailure(.localFileFailed, "it is not a regular file", url: "\(url)")
            }
        } catch let error as BundleFailure {
            throw error
        } catch {
            throw BundleFailure(.localFileFailed, "\(error)", url: "\(url)")
        }
        try self.init(of: source, url: "\(url)", in: directory, isStopped: isStopped, didWrite: didWrite)
    }

    /// Copies a regular file.
    /// - Parameter url: where it is, for people.
    init(
        of source: OwnedDescriptor, url: String, in directory: Directory, isStopped: @Sendable () -> Bool,
        didWrite: @Sendable (Int64) -> Void
    ) throws(BundleFailure) {
        do {
            let target = try directory.openUnnamedFile()
            let hasher = SHA256()
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
            defer { piece.deallocate() }
            var size: Int64 = 0
            while true {
                if isStopped() { throw BundleFailure(.paused, "stopped") }
                let count = try source.read(into: piece, at: size)
                if count == 0 { break }
                let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
                hasher.update(bytes)
                try target.write(bytes, at: size)
                size += Int64(count)
                didWrite(Int64(count))
            }
            (descriptor, sizeBytes, digest) = (target, size, hasher.finalize())
        } catch let error as SystemError {
            throw BundleFailure(error.isNoSpace ? .noSpace : .localFileFailed, "\(error)", url: url)
        } catch {
            throw error as? BundleFailure ?? BundleFailure(.localFileFailed, "\(error)", url: url)
        }
    }
}
