import Glibc

/// Whole trees beneath a directory. Each walks by handle and keeps its own stack, so that depth costs memory, never the thread's stack.
extension Directory {
    /// Removes whatever is at `path`, a whole tree too; nothing there is fine. Links are removed, not followed; directories that their
    /// owner may not write are made writable first.
    package func removeTree(_ path: RelativePath) throws(SystemError) {
        guard let status = try status(of: path) else { return }
        guard status.kind == .directory else { return try remove(path) }
        var pending = [path]
        while let current = pending.last {
            let directory = try openForRemoval(current)
            var children: [RelativePath] = []
            for name in try directory.names() {
                if try directory.status(of: name)?.kind == .directory {
                    do { children.append(try current.appending(name)) } catch {
                        throw SystemError(code: ENAMETOOLONG, operation: "remove", subject: directory.subject(name))
                    }
                } else {
                    try directory.remove(name)
                }
            }
            if children.isEmpty {
                try removeDirectory(current)
                pending.removeLast()
            } else {
                pending += children
            }
        }
    }

    private func openForRemoval(_ path: RelativePath) throws(SystemError) -> Directory {
        let directory = try subdirectory(path)
        let status = try directory.descriptor.status()
        if status.mode & 0o700 != 0o700 { try directory.descriptor.setMode(status.mode | 0o700) }
        return directory
    }

    /// Flushes every directory of the tree at `path`, and with `files` every regular file, to the disk.
    package func synchronizeTree(_ path: RelativePath, files: Bool) throws(SystemError) {
        var pending = [try subdirectory(path)]
        while let directory = pending.popLast() {
            for name in try directory.names() {
                switch try directory.status(of: name)?.kind {
                case .directory: pending.append(try directory.subdirectory(name))
                case .file where files: try directory.open(name, flags: O_RDONLY).synchronize()
                default: break
                }
            }
            try directory.synchronize()
        }
    }
}
