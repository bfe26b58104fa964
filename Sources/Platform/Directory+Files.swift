import CLinux
import Glibc

/// Whole files beneath a directory: read at once, replaced in one step, copied cheaply.
extension Directory {
    /// Reads the file at `path`.
    /// - Parameter limitBytes: a longer file fails with `EFBIG`.
    package func readFile(_ path: RelativePath, limitBytes: Int) throws(SystemError) -> [UInt8] {
        try open(path, flags: O_RDONLY | O_NONBLOCK).readAll(limitBytes: limitBytes)
    }

    /// Puts `bytes` at `path` in one step: a reader, or a run after a crash, finds the old content or the new, never a part.
    /// - Parameters:
    ///   - owner: whose the file is to be; nil: whoever runs the program. Where they can't give it away it stays their own, and no group gets anything.
    ///   - flush: also survives a power loss once this returns; costs a flush of the file and of its directory.
    package func replaceFile(
        _ path: RelativePath, with bytes: [UInt8], mode: mode_t = 0o644, owner: (user: uid_t, group: gid_t)? = nil,
        flush: Bool
    ) throws(SystemError) {
        try placeFile(at: path, flush: flush) { temporary throws(SystemError) in
            let file = try open(temporary, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
            try file.setOwner(owner, mode: mode)
            try file.write(bytes)
            return file
        }
        guard flush else { return }
        if let parent = path.parent { try subdirectory(parent).synchronize() } else { try synchronize() }
    }

    /// Puts a copy of `source`, which must be a regular file, at `path` in one step.
    /// - Parameters:
    ///   - owner: as of `replaceFile`.
    ///   - flush: the bytes are on the disk before the name is; the directory itself is not flushed.
    package func placeCopy(
        of source: OwnedDescriptor, at path: RelativePath, mode: mode_t = 0o644,
        owner: (user: uid_t, group: gid_t)? = nil, flush: Bool
    ) throws(SystemError) {
        try placeFile(at: path, flush: flush) { temporary throws(SystemError) in
            let file = try copyFile(from: source, to: temporary, mode: mode)
            try file.setOwner(owner, mode: mode)
            return file
        }
    }

    /// Lets `make` fill a temporary file beside `path`, and renames it when it is complete.
    private func placeFile(
        at path: RelativePath, flush: Bool, make: (RelativePath) throws(SystemError) -> OwnedDescriptor
    ) throws(SystemError) {
        let temporary = try temporarySibling(of: path)
        do {
            let file = try make(temporary)
            if flush { try file.synchronizeData() }
            try rename(temporary, to: path)
        } catch {
            try? remove(temporary)
            throw error
        }
    }

    /// Makes `path`, which must not exist, a file with the content of `source`, which must be a regular file: its extents are shared where
    /// the file system can do that, else its bytes copied in the kernel. Nothing stays at `path` when that fails.
    /// - Parameter mode: the permission bits, whatever the umask is.
    package func copyFile(
        from source: OwnedDescriptor, to path: RelativePath, mode: mode_t = 0o644
    ) throws(SystemError) -> OwnedDescriptor {
        let target = try open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode)
        do {
            try target.setMode(mode)
            if try !target.cloneContent(of: source) { try target.copyContent(of: source) }
        } catch {
            try? remove(path)
            throw error
        }
        return target
    }
}

extension OwnedDescriptor {
    /// Makes a file somebody's, and sets its permission bits, whatever the umask is.
    fileprivate func setOwner(_ owner: (user: uid_t, group: gid_t)?, mode: mode_t) throws(SystemError) {
        guard let owner else { return try setMode(mode) }
        do throws(SystemError) { try setOwner(owner.user, owner.group) } catch {
            guard error.code == EPERM else { throw error }
            // It stays our own and our group's, who may do no more with it than anybody.
            return try setMode(mode & (0o7707 | (mode & 0o7) << 3))
        }
        try setMode(mode)
    }
}
