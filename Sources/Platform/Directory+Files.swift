import CLinux
import Glibc

/// Whole files beneath a directory: read at once, replaced in one step, copied cheaply.
extension Directory {
    /// Reads the file at `path`.
    /// - Parameter limitBytes: a longer file fails with `EFBIG`.
    package func readFile(_ path: RelativePath, limitBytes: Int) throws(SystemError) -> [UInt8] {
        try open(path, flags: O_RDONLY | O_NONBLOCK).readAll(limitBytes: limitBytes)
    }

    /// The folder of a path that a user named, and what the file is called there.
    package static func openParent(of path: String) throws -> (directory: Directory, name: RelativePath) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? "."
        let name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
        return (try Directory.open(folder), try RelativePath(String(name)))
    }

    /// Puts `bytes` at `path` in one step: a reader, or a run after a crash, finds the old content or the new, never a part.
    /// - Parameters:
    ///   - owner: whose the file is to be; nil: whoever runs the program. A group that they can't give it to gets nothing, nor does another.
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

    /// Puts `bytes` where a user named a file, in one step. What is there and is no file stays: a device, of which root would rob the machine, a
    /// folder, a link to somewhere else.
    package static func replaceFile(named path: String, with bytes: [UInt8]) throws {
        let (directory, name) = try placeForFile(named: path)
        try directory.replaceFile(name, with: bytes, flush: false)
    }

    /// Where `replaceFile` would put a file: the folder, and the name in it.
    package static func placeForFile(named path: String) throws -> (directory: Directory, name: RelativePath) {
        let (directory, name) = try openParent(of: path)
        if let status = try directory.status(of: name), status.kind != .file {
            throw SystemError(code: EEXIST, operation: "replace what is no file", subject: escapedText(path))
        }
        return (directory, name)
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

    /// A name in the directory of `path` that nobody else uses: `.NAME.RANDOM`, the name cut so that it always fits. Random rather than
    /// counted: what a killed process of the same number left behind is never in the way.
    package func temporarySibling(of path: RelativePath) throws(SystemError) -> RelativePath {
        let suffix = "." + String(UInt64.random(in: .min ... .max), radix: 16)
        let room = RelativePath.maximumComponentBytes - 1 - suffix.utf8.count
        let name = [UInt8(ascii: ".")] + path.name.bytes.prefix(room) + Array(suffix.utf8)
        do {
            guard let parent = path.parent else { return try RelativePath(name) }
            return try parent.appending(RelativePath(name))
        } catch {
            throw SystemError(code: ENAMETOOLONG, operation: "create a temporary file beside", subject: subject(path))
        }
    }

    /// Those of its names that `temporarySibling` may have made for `name`: what killed processes left behind.
    package func temporarySiblings(of name: RelativePath) throws(SystemError) -> [RelativePath] {
        try names().filter { other in
            guard let dot = other.bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
            let random = String(decoding: other.bytes[(dot + 1)...], as: UTF8.self)
            guard UInt64(random, radix: 16) != nil else { return false }
            let kept = RelativePath.maximumComponentBytes - 2 - random.utf8.count
            return other.bytes[..<dot].elementsEqual([UInt8(ascii: ".")] + name.bytes.prefix(kept))
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
            guard error.code == EPERM, owner.user == geteuid() else { throw error }
            // It stays our own group's, who may do no more with it than anybody.
            return try setMode(mode & (0o7707 | (mode & 0o7) << 3))
        }
        try setMode(mode)
    }
}

/// Files without a name: until they get one, a crash leaves nothing of them behind.
extension Directory {
    /// A file on this directory's file system that has no name yet (`O_TMPFILE`), open for reading and writing.
    package func openUnnamedFile(mode: mode_t = 0o644) throws(SystemError) -> OwnedDescriptor {
        let opened = retryingInterrupts {
            larder_openat(descriptor.rawValue, ".", larder_o_tmpfile | O_RDWR | O_CLOEXEC, mode)
        }
        guard opened >= 0 else { throw .last("create a file in", name) }
        return OwnedDescriptor(adopting: opened, name: "a new file in \(name)")
    }

    /// Gives an open file a name, be it its first or another one; fails with `EEXIST` when the name is taken, with `ENOENT` when the file had names
    /// and has lost them all.
    package func link(_ file: OwnedDescriptor, at path: RelativePath) throws(SystemError) {
        let code = try withParent(of: path) { parent, name in
            linkat(AT_FDCWD, "/proc/self/fd/\(file.rawValue)", parent, name, AT_SYMLINK_FOLLOW)
        }
        if code == -1 { throw .last("create", subject(path)) }
    }
}
