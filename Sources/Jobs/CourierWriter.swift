import BundleManifest
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
    private let manifestFolder: Directory

    private static let copy: RelativePath = "copy"
    /// As in a library, whatever the umask is.
    private static let (fileMode, directoryMode): (mode_t, mode_t) = (0o644, 0o755)

    /// - Throws: `busy` while another export writes there.
    init(_ path: String) throws(LibraryError) {
        if (try? Library.open(path, for: .reading)) != nil || Library.around(path) != nil {
            throw LibraryError(
                .unusablePlace,
                "\(escapedText(path)) is a library, or lies in one; name another folder to write to")
        }
        do throws(SystemError) {
            directory = try Directory.open(path, create: true)
            guard try directory.descriptor.lock(exclusive: true) else {
                throw SystemError(code: EWOULDBLOCK, operation: "lock", subject: directory.name)
            }
            partial = try Self.folder(CourierLayout.partial, in: directory)
            // Of an export that was killed: it would only take room.
            try partial.removeIfThere(Self.copy)
            // What stands in their places is told before anything is written; for files there may be no room yet.
            manifestFolder = try Self.folder(CourierLayout.manifests, in: directory)
            if try directory.status(of: CourierLayout.files) != nil {
                _ = try Self.folder(CourierLayout.files, in: directory)
            }
        } catch {
            guard error.code != EWOULDBLOCK else { throw LibraryError.busy(path, nil) }
            throw LibraryError(error)
        }
    }

    /// Bytes that may still be written there.
    func freeBytes() throws(LibraryError) -> Int64 {
        do throws(SystemError) { return try directory.descriptor.freeBytes() } catch { throw LibraryError(error) }
    }

    /// Bytes that an export which was stopped had fetched of files, by their digests.
    func heldBytes() -> [SHA256Digest: Int64] {
        let unfinished = (try? ResumeStore(directory: partial).unfinishedDownloads()) ?? []
        return Dictionary(
            unfinished.compactMap { download in download.digest.map { ($0, download.diskBytes) } },
            uniquingKeysWith: max)
    }

    /// Whether there is a file that is called by this digest and has this length, as far as a look can tell.
    func mayHave(_ digest: SHA256Digest, sizeBytes: Int64?) -> Bool {
        guard let status = try? directory.status(of: CourierLayout.path(of: digest)) else { return false }
        return status.kind == .file && sizeBytes.map { $0 == status.sizeBytes } ?? true
    }

    /// What the disk gets back of whatever has the name of a file that isn't there.
    func displacedBytes(_ digest: SHA256Digest) -> Int64 {
        guard let status = try? directory.status(of: CourierLayout.path(of: digest)), status.kind == .file,
            status.linkCount == 1
        else { return 0 }
        return status.allocatedBytes
    }

    /// Whether the file of this digest is there, by all of its bytes: disks that are carried about forget. What is there and isn't the file goes, so
    /// that there is room for what it should be.
    /// - Parameter isStopped: asked again and again; after a yes nothing is known, and nothing goes.
    func has(_ digest: SHA256Digest, isStopped: () -> Bool) throws(SystemError) -> Bool {
        let path = CourierLayout.path(of: digest)
        guard let status = try directory.status(of: path) else { return false }
        if status.kind == .file, let file = try? directory.open(path, flags: O_RDONLY | O_NONBLOCK) {
            file.beginReadingFromDisk()
            let hasher = SHA256()
            let read = try? hasher.update(from: file, lengthBytes: status.sizeBytes, isStopped: isStopped)
            if isStopped() { return false }
            if read == status.sizeBytes, hasher.finalize() == digest { return true }
        }
        try directory.removeIfThere(path)
        return false
    }

    /// Copies a file that may be the one of this digest.
    /// - Parameter sizeBytes: how long it has to be; nil: it is read once more before, so that one of any length fills no disk.
    /// - Returns: how long it is; nil when it is something else, or can't be read to its end.
    /// - Throws: when the copy can't be written.
    func add(
        _ digest: SHA256Digest, sizeBytes: Int64?, from file: OwnedDescriptor, isStopped: () -> Bool
    ) throws(SystemError) -> Int64? {
        guard let status = try? file.status(), status.kind == .file, sizeBytes ?? status.sizeBytes == status.sizeBytes
        else { return nil }
        if sizeBytes == nil {
            let hasher = SHA256()
            let read = try? hasher.update(from: file, lengthBytes: status.sizeBytes, isStopped: isStopped)
            guard read == status.sizeBytes, hasher.finalize() == digest else { return nil }
        }
        let target = try partial.open(Self.copy, flags: O_RDWR | O_CREAT | O_EXCL, mode: Self.fileMode)
        do throws(SystemError) {
            // Where the disk knows modes.
            try? target.setMode(Self.fileMode)
            let found = try Self.copy(file, to: target, lengthBytes: status.sizeBytes, isStopped: isStopped)
            guard found == digest else {
                try partial.remove(Self.copy)
                return nil
            }
            try target.synchronizeData()
            try place(digest) { path throws(SystemError) in try partial.rename(Self.copy, to: path, in: directory) }
            return status.sizeBytes
        } catch {
            try? partial.remove(Self.copy)
            throw error
        }
    }

    /// Writes no more than so many bytes, however the file grows meanwhile.
    /// - Returns: their digest; nil where they weren't that many, couldn't be read, or it was stopped.
    private static func copy(
        _ file: OwnedDescriptor, to target: OwnedDescriptor, lengthBytes: Int64, isStopped: () -> Bool
    ) throws(SystemError) -> SHA256Digest? {
        let hasher = SHA256()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while !isStopped() {
            guard let count = try? file.read(into: piece, at: offset) else { return nil }
            if count == 0 { return offset == lengthBytes ? hasher.finalize() : nil }
            guard Int64(count) <= lengthBytes - offset else { return nil }
            let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
            hasher.update(bytes)
            try target.write(bytes, at: offset)
            offset += Int64(count)
        }
        return nil
    }

    /// Takes a download that has this digest.
    func add(_ digest: SHA256Digest, from file: DownloadedFile) throws(SystemError) {
        try place(digest) { path throws(SystemError) in
            try file.take(to: path, in: directory, mode: Self.fileMode, flush: true)
        }
    }

    private func place(
        _ digest: SHA256Digest, _ move: (RelativePath) throws(SystemError) -> Void
    ) throws(SystemError) {
        let path = CourierLayout.path(of: digest)
        if let parent = path.parent {
            if let holder = parent.parent { _ = try Self.folder(holder, in: directory) }
            _ = try Self.folder(parent, in: directory)
        }
        try move(path)
    }

    /// Writes the manifests, and the mark that says what this is; then all of it is on the disk.
    func finish(_ manifests: [CarriedManifest]) throws(SystemError) {
        for manifest in manifests {
            try write(manifest.bytes, manifest.ownSignature, called: manifest.fileName, in: manifestFolder)
            let folder = try Self.name(manifest.folder)
            guard let signed = manifest.signedElsewhere else {
                if try manifestFolder.status(of: folder) != nil { try manifestFolder.removeTree(folder) }
                continue
            }
            let holder = try Self.folder(folder, in: manifestFolder)
            try write(manifest.bytes, signed.signature, called: signed.fileName, in: holder)
            // What was signed under another name before is an older one.
            let own = [try Self.name(signed.fileName), try Self.name(MinisignSignature.place(of: signed.fileName))]
            for name in try holder.names() where !own.contains(name) { try holder.removeTree(name) }
        }
        var mark = JSONWriter()
        mark.object { $0.member("format", CourierLayout.format) }
        try write(mark.bytes + [UInt8(ascii: "\n")], to: CourierLayout.mark, in: directory)
        if !(try directory.descriptor.synchronizeFileSystem()) { try directory.synchronize() }
    }

    private func write(
        _ manifest: [UInt8], _ signature: [UInt8]?, called fileName: String, in holder: Directory
    ) throws(SystemError) {
        let (name, place) = (try Self.name(fileName), try Self.name(MinisignSignature.place(of: fileName)))
        let isThere = (try? holder.readFile(name, limitBytes: manifest.count)) == manifest
        // An export that is killed in between leaves no signature rather than a wrong one; of the same bytes it may be somebody's own.
        if !isThere {
            try holder.removeIfThere(place)
            try write(manifest, to: name, in: holder)
        }
        if let signature { try write(signature, to: place, in: holder) }
    }

    private func write(_ bytes: [UInt8], to name: RelativePath, in holder: Directory) throws(SystemError) {
        let file = try partial.open(Self.copy, flags: O_WRONLY | O_CREAT | O_EXCL, mode: Self.fileMode)
        do throws(SystemError) {
            try? file.setMode(Self.fileMode)
            try file.write(bytes)
            try file.synchronizeData()
            try partial.rename(Self.copy, to: name, in: holder)
        } catch {
            try? partial.remove(Self.copy)
            throw error
        }
    }

    /// Opens a folder, made when missing.
    private static func folder(_ path: RelativePath, in directory: Directory) throws(SystemError) -> Directory {
        do throws(SystemError) { try directory.makeDirectory(path, mode: directoryMode) } catch {
            guard error.code == EEXIST else { throw error }
            return try directory.subdirectory(path)
        }
        let made = try directory.subdirectory(path)
        try? made.descriptor.setMode(directoryMode)
        return made
    }

    private static func name(_ text: String) throws(SystemError) -> RelativePath {
        do { return try RelativePath(text) } catch {
            throw SystemError(code: ENAMETOOLONG, operation: "create", subject: escapedText(text))
        }
    }
}

extension Directory {
    /// Removes a file or a link; a folder is somebody's, and stays.
    fileprivate func removeIfThere(_ path: RelativePath) throws(SystemError) {
        do throws(SystemError) { try remove(path) } catch { guard error.isNotFound else { throw error } }
    }
}
