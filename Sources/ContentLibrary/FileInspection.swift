import Glibc
import Platform

/// Reads a stored file as the disk has it, and holds it against its receipt.
package struct FileInspection: Sendable {
    private let directory: Directory
    /// Told of bytes before they are read; may wait.
    private let willRead: @Sendable (Int64) -> Void
    private let isStopped: @Sendable () -> Bool

    /// After so many bytes the page cache lets go of them.
    private static let pieceBytes: Int64 = 8 << 20

    /// - Parameters:
    ///   - directory: the content.
    ///   - isStopped: asked again and again while a file is read.
    package init(
        _ directory: Directory, willRead: @escaping @Sendable (Int64) -> Void,
        isStopped: @escaping @Sendable () -> Bool
    ) {
        (self.directory, self.willRead, self.isStopped) = (directory, willRead, isStopped)
    }

    package enum Verdict: Hashable, Sendable {
        case whole
        case damaged(ContentDamage)
        /// It was not read to its end.
        case stopped
    }

    package func inspect(_ file: ContentInspection.File) -> Verdict {
        do {
            guard let problem = try problem(of: file) else { return isStopped() ? .stopped : .whole }
            return .damaged(ContentDamage(file.path, problem))
        } catch {
            return .damaged(
                ContentDamage(
                    file.path,
                    error.isNotFound ? .missing : error.code == ELOOP ? .wrongKind : .unreadable("\(error)")))
        }
    }

    private func problem(of file: ContentInspection.File) throws(SystemError) -> ContentDamage.Problem? {
        let expected = file.expected
        let opened = try directory.open(file.path, flags: O_RDONLY | O_NONBLOCK)
        let status = try opened.status()
        guard status.kind == .file else { return .wrongKind }
        guard status.sizeBytes == expected.sizeBytes else {
            return .wrongSize(status.sizeBytes, expected: expected.sizeBytes)
        }
        guard let digest = try digest(of: opened, sizeBytes: status.sizeBytes) else { return nil }
        if digest != expected.sha256 { return .wrongDigest(digest, expected: expected.sha256) }
        return status.mode == expected.mode ? nil : .wrongMode(status.mode, expected: expected.mode)
    }

    /// - Returns: nil when it was stopped.
    private func digest(of file: OwnedDescriptor, sizeBytes: Int64) throws(SystemError) -> SHA256Digest? {
        file.beginReadingFromDisk()
        let hasher = SHA256()
        var offset: Int64 = 0
        while offset < sizeBytes {
            let wanted = min(Self.pieceBytes, sizeBytes - offset)
            willRead(wanted)
            let count = try hasher.update(from: file, at: offset, lengthBytes: wanted, isStopped: isStopped)
            if isStopped() { return nil }
            file.forgetCached(count, at: offset)
            // Somebody is cutting it: the digest tells.
            guard count == wanted else { break }
            offset += count
        }
        return hasher.finalize()
    }
}
