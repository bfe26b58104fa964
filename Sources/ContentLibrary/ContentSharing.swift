import Glibc
import Platform

/// The files of stored content by digest, to be shared with a new version instead of fetched or kept twice.
///
/// A file is shared by its extents where the file system can do that, which makes an independent file; else by a hard link, and only where mode
/// and time agree, because a link has those of the stored file. Stored content is never changed in place, so neither notices the other. A
/// stored file is hashed before it is shared: damage at rest doesn't spread to a new version.
package final class ContentSharing: Sendable {
    private let directory: Directory
    private let paths: [SHA256Digest: RelativePath]
    /// What was fetched for the content, as its receipt tells.
    package let sources: [Receipt.Source]
    /// Learnt at the first attempt.
    private let canClone = Locked(true)
    /// Where the last file stood, and where it went: mostly it is the same with the next one.
    private let lastStored = Locked<Folder?>(nil)
    private let lastStaged = Locked<Folder?>(nil)

    package init(_ content: StoredContent) throws(LibraryError) {
        directory = try content.open()
        let receipt = try content.receipt()
        sources = receipt.sources
        paths = receipt.entries.reduce(into: [:]) { paths, entry in
            if case .file(let file) = entry.content { paths[file.sha256] = entry.path }
        }
    }

    /// - Parameter files: those of the content that may be placed by their digests.
    init(_ directory: Directory, _ files: [SHA256Digest: RelativePath]) {
        self.directory = directory
        paths = files
        sources = []
    }

    /// Puts the stored file of this digest at `path` in staging, with the mode and the time it has in the store: a file less to fetch.
    /// One that can't be shared, since it has too many names or is another user's, is copied.
    /// - Returns: false when there is no such file, or it is damaged; nothing has changed then.
    package func place(
        _ digest: SHA256Digest, sizeBytes: Int64, at path: RelativePath, in staging: Staging
    ) throws(LibraryError) -> Bool {
        guard let storedPath = paths[digest], let folder = try? folder(of: storedPath, beneath: directory, lastStored),
            let stored = intactFile(digest, sizeBytes: sizeBytes, storedPath.name, in: folder)
        else { return false }
        let (mode, modified) = (stored.status.mode, stored.status.modified)
        let target = try translating { () throws(SystemError) in
            try self.folder(of: path, beneath: staging.directory, lastStaged, create: true)
        }
        if try share(stored, mode: mode, modified: modified, at: path, in: staging, target) { return true }
        return try translating { () throws(SystemError) in try copy(stored, mode, modified, at: path, in: staging) }
    }

    /// Puts a stored file at `path` in staging with the mode and the time that a receipt tells: as a link where it has these.
    /// - Parameter isProven: it has just been read; else it is read here.
    /// - Returns: false when it isn't what is wanted, or can't be read.
    func restore(
        _ stored: RelativePath, isProven: Bool, at path: RelativePath, as wanted: Receipt.File, in staging: Staging
    ) throws(LibraryError) -> Bool {
        guard let file = file(stored, in: directory, sizeBytes: wanted.sizeBytes) else { return false }
        if !isProven {
            file.descriptor.beginReadingFromDisk()
            guard (try? file.descriptor.sha256()) == wanted.sha256 else { return false }
        }
        return try translating { () throws(SystemError) in
            if let parent = path.parent { try staging.directory.makeDirectories(parent) }
            if file.status.mode == wanted.mode, file.status.modified == wanted.modified,
                try link(file, at: path, in: staging)
            {
                return true
            }
            return try copy(file, wanted.mode, wanted.modified, at: path, in: staging)
        }
    }

    /// Replaces a staged file by the stored one of the same digest.
    func replace(
        _ staged: OwnedDescriptor, with wanted: Receipt.File, at path: RelativePath, in staging: Staging
    ) throws(LibraryError) -> Bool {
        guard let storedPath = paths[wanted.sha256] else { return false }
        let isStored = try translating { () throws(SystemError) in
            // What stands in the way there is damage, and no trouble here.
            try staged.status().identity == (try? directory.status(of: storedPath))?.identity
        }
        if isStored { return true }
        guard let stored = intactFile(wanted.sha256, sizeBytes: wanted.sizeBytes, storedPath, in: directory) else {
            return false
        }
        return try share(stored, mode: wanted.mode, modified: wanted.modified, at: path, in: staging)
    }

    private struct Folder: Sendable {
        let root: Directory
        let path: RelativePath
        let directory: Directory
    }

    /// - Parameter last: the one that was opened before.
    private func folder(
        of path: RelativePath, beneath root: Directory, _ last: Locked<Folder?>, create: Bool = false
    ) throws(SystemError) -> Directory {
        guard let path = path.parent else { return root }
        if let last = last.withLock({ $0 }), last.root === root, last.path == path { return last.directory }
        let directory = try root.subdirectory(path, create: create)
        last.withLock { $0 = Folder(root: root, path: path, directory: directory) }
        return directory
    }

    private struct StoredFile {
        let folder: Directory
        /// In its folder.
        let path: RelativePath
        let descriptor: OwnedDescriptor
        let status: FileStatus
    }

    private func intactFile(
        _ digest: SHA256Digest, sizeBytes: Int64, _ path: RelativePath, in folder: Directory
    ) -> StoredFile? {
        let hasher = SHA256()
        guard let stored = file(path, in: folder, sizeBytes: sizeBytes),
            (try? hasher.update(from: stored.descriptor, lengthBytes: sizeBytes)) == sizeBytes,
            hasher.finalize() == digest
        else { return nil }
        return stored
    }

    private func file(_ path: RelativePath, in folder: Directory, sizeBytes: Int64) -> StoredFile? {
        // What can't be read at rest is for `verify` to report; here it only isn't shared.
        guard
            let file = try? folder.open(path, flags: O_RDONLY | O_NONBLOCK), let status = try? file.status(),
            status.kind == .file, status.sizeBytes == sizeBytes
        else { return nil }
        return StoredFile(folder: folder, path: path, descriptor: file, status: status)
    }

    /// - Parameter folder: the one in staging that the path names; nil: it is opened for this file.
    private func share(
        _ stored: StoredFile, mode: UInt32, modified: Timestamp, at path: RelativePath, in staging: Staging,
        _ folder: Directory? = nil
    ) throws(LibraryError) -> Bool {
        try translating { () throws(SystemError) in
            if canClone.withLock({ $0 }) {
                if try clone(stored, mode, modified, at: path, in: staging) { return true }
                canClone.withLock { $0 = false }
            }
            guard stored.status.mode == mode, stored.status.modified == modified else { return false }
            return try link(stored, at: path, in: staging, folder)
        }
    }

    private func clone(
        _ stored: StoredFile, _ mode: UInt32, _ modified: Timestamp, at path: RelativePath, in staging: Staging
    ) throws(SystemError) -> Bool {
        try staging.place(at: path) { scratch, name throws(SystemError) in
            let target = try scratch.open(name, flags: O_WRONLY | O_CREAT | O_EXCL)
            guard try target.cloneContent(of: stored.descriptor) else {
                try scratch.remove(name)
                return false
            }
            try target.setMode(mode)
            try target.setModificationTime(modified)
            return true
        }
    }

    private func link(
        _ stored: StoredFile, at path: RelativePath, in staging: Staging, _ folder: Directory? = nil
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try stored.folder.link(
                stored.path, to: folder == nil ? path : path.name, in: folder ?? staging.directory)
            staging.note(linked: path, stored.status)
            return true
        } catch {
            // A file with too many names, of another owner, or on a file system without hard links is kept twice.
            if [EMLINK, EPERM, EOPNOTSUPP, EXDEV].contains(error.code) { return false }
            guard error.code == EEXIST else { throw error }
        }
        // What has the name already is replaced in one step.
        return try staging.place(at: path) { scratch, name throws(SystemError) in
            try stored.folder.link(stored.path, to: name, in: scratch)
            return true
        }
    }

    private func copy(
        _ stored: StoredFile, _ mode: UInt32, _ modified: Timestamp, at path: RelativePath, in staging: Staging
    ) throws(SystemError) -> Bool {
        try staging.place(at: path) { scratch, name throws(SystemError) in
            let target = try scratch.copyFile(from: stored.descriptor, to: name, mode: mode)
            try target.setModificationTime(modified)
            return true
        }
    }
}
