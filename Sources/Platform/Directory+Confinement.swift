import CLinux
import Glibc

/// How a path is resolved beneath a directory without ever leaving it: by the kernel where it can, component by component where not.
extension Directory {
    /// Opens what is at `path` beneath this directory. A symbolic link anywhere on the way, or at the end, fails with `ELOOP`
    /// (`EEXIST` at the end where `O_EXCL` asks for a new file).
    /// - Parameter mode: permission bits for a created file, before the umask.
    package func open(_ path: RelativePath, flags: Int32, mode: mode_t = 0o666) throws(SystemError) -> OwnedDescriptor {
        guard let opened = try openIfThere(path, flags: flags, mode: mode) else {
            throw SystemError(code: ENOENT, operation: "open", subject: subject(path))
        }
        return opened
    }

    /// The same, but nil where there is nothing: often that is no failure, and no words need be made of it.
    package func openIfThere(
        _ path: RelativePath, flags: Int32, mode: mode_t = 0o666
    ) throws(SystemError) -> OwnedDescriptor? {
        let opened = path.withCString { pathPointer in
            retryingInterrupts {
                larder_openat2(
                    descriptor.rawValue, pathPointer, flags | O_CLOEXEC, flags & O_CREAT != 0 ? mode : 0,
                    larder_resolve_beneath | larder_resolve_no_symlinks)
            }
        }
        if opened >= 0 { return OwnedDescriptor(adopting: opened, path: path, inDirectory: name) }
        if errno == ENOENT { return nil }
        // EPERM is what an old seccomp filter says of a call it doesn't know.
        guard errno == ENOSYS || errno == EPERM else { throw .last("open", subject(path)) }
        do { return try openByComponents(path, flags: flags, mode: mode) } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }

    /// Opens for reading, without waiting, what is called `name` here, and follows a symbolic link wherever it leads: for names that the operator
    /// gave.
    package func openNamed(_ name: RelativePath) throws(SystemError) -> OwnedDescriptor {
        let opened = name.withCString { pathPointer in
            retryingInterrupts {
                larder_openat(descriptor.rawValue, pathPointer, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0)
            }
        }
        guard opened >= 0 else { throw .last("open", subject(name)) }
        return OwnedDescriptor(adopting: opened, path: name, inDirectory: self.name)
    }

    /// `openIfThere` without `openat2`: each component is opened by the handle of the one before, never following a link.
    func openByComponents(_ path: RelativePath, flags: Int32, mode: mode_t) throws(SystemError) -> OwnedDescriptor {
        var holder = descriptor
        let components = path.components
        for (index, component) in components.enumerated() {
            let isLast = index == components.count - 1
            let componentFlags = isLast ? flags : O_PATH | O_DIRECTORY
            let name = component.map { CChar(bitPattern: $0) } + [0]
            let opened = retryingInterrupts {
                larder_openat(holder.rawValue, name, componentFlags | O_NOFOLLOW | O_CLOEXEC, mode)
            }
            guard opened >= 0 else {
                // With O_DIRECTORY the kernel finds that a link is no directory before it finds that it is a link.
                let error = SystemError.last("open", subject(path))
                guard error.code == ENOTDIR, isLink(holder, name) else { throw error }
                throw SystemError(code: ELOOP, operation: error.operation, subject: error.subject)
            }
            holder = OwnedDescriptor(adopting: opened, name: subject(path))
        }
        // O_PATH with O_NOFOLLOW is a handle of the link itself, which nobody asked for.
        if flags & O_PATH != 0, try holder.status().kind == .symbolicLink {
            throw SystemError(code: ELOOP, operation: "open", subject: subject(path))
        }
        return holder
    }

    private func isLink(_ holder: OwnedDescriptor, _ name: [CChar]) -> Bool {
        var raw = stat()
        return fstatat(holder.rawValue, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 && raw.st_mode & S_IFMT == S_IFLNK
    }

    /// Calls `body` with a handle of the directory that holds `path`, and the last component: what the `…at` calls need to be safe.
    func withParent<Result>(
        of path: RelativePath, _ body: (Int32, UnsafePointer<CChar>) -> Result
    ) throws(SystemError) -> Result {
        guard let parent = path.parent else { return path.withCString { body(descriptor.rawValue, $0) } }
        let holder = try open(parent, flags: O_PATH | O_DIRECTORY)
        // The body sees a bare number: the handle behind it must not go before the body is done.
        return withExtendedLifetime(holder) { path.name.withCString { body(holder.rawValue, $0) } }
    }

    /// `withParent` for two paths at once, the second beneath `directory`.
    func withParents<Result>(
        _ source: RelativePath, _ directory: Directory, _ target: RelativePath,
        _ body: (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>) -> Result
    ) throws(SystemError) -> Result {
        var outcome: Swift.Result<Result, SystemError>?
        try withParent(of: source) { from, old in
            outcome = Swift.Result { () throws(SystemError) in
                try directory.withParent(of: target) { to, new in body(from, old, to, new) }
            }
        }
        guard let outcome else { preconditionFailure("withParent calls its body") }
        return try outcome.get()
    }
}
