import CLinux
import Glibc

/// Whole trees beneath a directory. Each walks by handle and keeps its own stack, so that depth costs memory, never the thread's stack.
extension Directory {
    /// Removes whatever is at `path`, a whole tree too; nothing there is fine. Links are removed, not followed; directories that their
    /// owner may not enter or write are made writable first.
    /// - Returns: how many bytes that gave back to the file system: those of files that had no other name.
    @discardableResult
    package func removeTree(_ path: RelativePath) throws(SystemError) -> Int64 {
        guard let status = try status(of: path) else { return 0 }
        guard status.kind == .directory else { return try removeFile(path, status) }
        var freedBytes: Int64 = 0
        var pending = [path]
        while let current = pending.last {
            let directory = try openForRemoval(current)
            var children: [RelativePath] = []
            for name in try directory.names() {
                guard let status = try directory.status(of: name) else { continue }
                if status.kind == .directory {
                    children.append(try child(name, of: current, operation: "remove"))
                } else {
                    freedBytes.addClamped(try directory.removeFile(name, status))
                }
            }
            if children.isEmpty {
                try removeDirectory(current)
                pending.removeLast()
            } else {
                pending += children
            }
        }
        return freedBytes
    }

    /// How many bytes removing the tree at `path` would give back to the file system.
    package func treeBytes(_ path: RelativePath) throws(SystemError) -> Int64 {
        var bytes: Int64 = 0
        var pending = [path]
        while let current = pending.popLast() {
            guard let status = try status(of: current) else { continue }
            guard status.kind == .directory else {
                if status.linkCount == 1 { bytes.addClamped(status.allocatedBytes) }
                continue
            }
            for name in try subdirectory(current).names() {
                pending.append(try child(name, of: current, operation: "look at"))
            }
        }
        return bytes
    }

    /// Folders may lie deeper than a path is allowed to be long.
    private func child(
        _ name: RelativePath, of folder: RelativePath, operation: String
    ) throws(SystemError) -> RelativePath {
        do { return try folder.appending(name) } catch {
            throw SystemError(code: ENAMETOOLONG, operation: operation, subject: "\(subject(folder))/\(name)")
        }
    }

    private func removeFile(_ path: RelativePath, _ status: FileStatus) throws(SystemError) -> Int64 {
        try remove(path)
        return status.linkCount == 1 ? status.allocatedBytes : 0
    }

    private func openForRemoval(_ path: RelativePath) throws(SystemError) -> Directory {
        let handle = try open(path, flags: O_PATH | O_DIRECTORY)
        let mode = try handle.status().mode
        // A handle that can't be read can't be given another mode either, but its name under /proc can.
        if mode & 0o700 != 0o700 {
            let code = withExtendedLifetime(handle) { chmod("/proc/self/fd/\(handle.rawValue)", mode | 0o700) }
            guard code == 0 else { throw .last("set the mode of", subject(path)) }
        }
        return try subdirectory(path)
    }

    /// Flushes every directory and every regular file of the tree at `path` to the disk.
    package func synchronizeTree(_ path: RelativePath) throws(SystemError) {
        // Paths, not handles: a wide tree must not use up the process's descriptors.
        var pending = [path]
        while let current = pending.popLast() {
            let directory = try subdirectory(current)
            for name in try directory.names() {
                switch try directory.status(of: name)?.kind {
                case .directory:
                    pending.append(try child(name, of: current, operation: "flush"))
                case .file: try directory.open(name, flags: O_RDONLY).synchronize()
                default: break
                }
            }
            try directory.synchronize()
        }
    }
}
