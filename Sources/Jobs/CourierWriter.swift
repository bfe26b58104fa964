import ContentLibrary
import Downloads
import Glibc
import JSONSyntax
import Platform

/// Writes what `--from` takes: files that are called by their digests, and manifests. A file has its name only when it is whole and on the disk; the
/// disk may be one of those that know neither links nor modes.
struct CourierWriter: Sendable {
    private let directory: Directory
    /// What isn't whole yet; downloads gather here, too.
    let partial: Directory

    private static let copy: RelativePath = "copy"

    /// - Throws: `busy` while another export writes there.
    init(_ path: String) throws(LibraryError) {
        do throws(SystemError) {
            directory = try Directory.open(path, create: true)
            guard try directory.descriptor.lock(exclusive: true) else {
                throw SystemError(code: EWOULDBLOCK, operation: "lock", subject: directory.name)
            }
            partial = try directory.subdirectory(CourierLayout.partial, create: true)
        } catch {
            guard error.code != EWOULDBLOCK else { throw LibraryError.busy(path, nil) }
            throw LibraryError(error)
        }
    }

    /// Bytes that may still be written there.
    func freeBytes() throws(LibraryError) -> Int64 {
        do throws(SystemError) { return try directory.descriptor.freeBytes() } catch { throw LibraryError(error) }
    }

    /// Whether the file of this digest is there: it never had its name before it was whole.
    /// - Parameter sizeBytes: how long it has to be, where that is known.
    func has(_ digest: SHA256Digest, sizeBytes: Int64?) -> Bool {
        guard let status = try? directory.status(of: CourierLayout.path(of: digest)) else { return false }
        return status.kind == .file && sizeBytes.map { $0 == status.sizeBytes } ?? true
    }

    /// Copies a file that may be the one of this digest.
    /// - Returns: false when it is something else.
    func add(_ digest: SHA256Digest, from file: OwnedDescriptor, isStopped: () -> Bool) throws(SystemError) -> Bool {
        let target = try partial.open(Self.copy, flags: O_RDWR | O_CREAT | O_TRUNC)
        let hasher = SHA256()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while !isStopped() {
            let count = try file.read(into: piece, at: offset)
            if count == 0 { break }
            let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
            hasher.update(bytes)
            try target.write(bytes, at: offset)
            offset += Int64(count)
        }
        guard !isStopped(), hasher.finalize() == digest else {
            try partial.remove(Self.copy)
            return false
        }
        try target.synchronizeData()
        try place(digest) { path throws(SystemError) in try partial.rename(Self.copy, to: path, in: directory) }
        return true
    }

    /// Takes a download that has this digest.
    func add(_ digest: SHA256Digest, from file: DownloadedFile) throws(SystemError) {
        try place(digest) { path throws(SystemError) in try file.take(to: path, in: directory, flush: true) }
    }

    private func place(
        _ digest: SHA256Digest, _ move: (RelativePath) throws(SystemError) -> Void
    ) throws(SystemError) {
        let path = CourierLayout.path(of: digest)
        if let parent = path.parent { try directory.makeDirectories(parent) }
        try move(path)
    }

    /// Writes the manifests, and the mark that says what this is; then all of it is on the disk.
    func finish(_ manifests: [ContentID: [UInt8]]) throws(SystemError) {
        for (id, bytes) in manifests {
            try directory.makeDirectories(CourierLayout.manifests)
            let holder = try directory.subdirectory(CourierLayout.manifests)
            let name = try Self.name("\(id).json")
            try write(bytes, to: name, in: holder)
        }
        var mark = JSONWriter()
        mark.object { $0.member("format", CourierLayout.format) }
        try write(mark.bytes + [UInt8(ascii: "\n")], to: CourierLayout.mark, in: directory)
        if !(try directory.descriptor.synchronizeFileSystem()) { try directory.synchronize() }
    }

    private func write(_ bytes: [UInt8], to name: RelativePath, in holder: Directory) throws(SystemError) {
        let file = try partial.open(Self.copy, flags: O_WRONLY | O_CREAT | O_TRUNC)
        try file.write(bytes)
        try file.synchronizeData()
        try partial.rename(Self.copy, to: name, in: holder)
    }

    private static func name(_ text: String) throws(SystemError) -> RelativePath {
        do { return try RelativePath(text) } catch {
            throw SystemError(code: ENAMETOOLONG, operation: "create", subject: escapedText(text))
        }
    }
}
