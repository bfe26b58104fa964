import CLinux
import Glibc

/// A directory held open: whatever happens to its name, paths are resolved beneath this very directory and never through a symbolic link.
package final class Directory: Sendable {
    package let descriptor: OwnedDescriptor

    /// The name it was opened by, for messages; already safe to print.
    package var name: String { descriptor.name }

    init(_ descriptor: OwnedDescriptor) { self.descriptor = descriptor }

    /// Opens the directory the operator named; links in `path` are followed.
    /// - Parameter create: makes it, and its parents, when missing (mode 0755 less the umask).
    package static func open(_ path: String, create: Bool = false) throws(SystemError) -> Directory {
        if create { try makeDirectories(path) }
        return Directory(try OwnedDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY))
    }

    private static func makeDirectories(_ path: String) throws(SystemError) {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
            throw .last("create the directory", escapedText(path))
        }
        let parent = String(path[..<slash])
        if !parent.isEmpty { try makeDirectories(parent) }
        if mkdir(path, 0o755) == 0 || errno == EEXIST || path.hasSuffix("/") { return }
        throw .last("create the directory", escapedText(path))
    }

    /// Opens a directory beneath this one.
    /// - Parameter create: makes it, and those between, when missing (mode 0755 less the umask).
    package func subdirectory(_ path: RelativePath, create: Bool = false) throws(SystemError) -> Directory {
        if create { try makeDirectories(path) }
        return Directory(try open(path, flags: O_RDONLY | O_DIRECTORY))
    }

    /// Makes the directory `path` and those between; existing ones are fine.
    package func makeDirectories(_ path: RelativePath) throws(SystemError) {
        do {
            try makeDirectory(path)
        } catch {
            if error.code == EEXIST { return }
            guard error.isNotFound, let parent = path.parent else { throw error }
            try makeDirectories(parent)
            do { try makeDirectory(path) } catch { if error.code != EEXIST { throw error } }
        }
    }

    /// Makes one directory; fails with `EEXIST` when something of that name is there.
    package func makeDirectory(_ path: RelativePath, mode: mode_t = 0o755) throws(SystemError) {
        try withParent(of: path) { parent, name in mkdirat(parent, name, mode) }
            .orThrow("create the directory", subject(path))
    }

    /// What is at `path`; a symbolic link is not followed. Nil when there is nothing.
    package func status(of path: RelativePath) throws(SystemError) -> FileStatus? {
        var raw = stat()
        do {
            let code = try withParent(of: path) { parent, name in fstatat(parent, name, &raw, AT_SYMLINK_NOFOLLOW) }
            // That nothing is there is no failure, and no words need be made of it.
            if code == -1, errno == ENOENT { return nil }
            try code.orThrow("inspect", subject(path))
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
        return FileStatus(raw)
    }

    /// The names directly beneath this directory, in no particular order, without `.` and `..`.
    /// - Throws: also, with `ENAMETOOLONG`, where one is longer than Linux's own file systems have them: nothing can be done with it, and whoever
    ///   took it for missing would be wrong.
    package func names() throws(SystemError) -> [RelativePath] {
        var names = NameList()
        try forEachName { name, _ in names.add(name) }
        return try names.paths(in: name)
    }

    struct NameList {
        private var paths: [RelativePath] = []
        private var overlong: [UInt8]?

        mutating func add(_ name: some Sequence<UInt8>) {
            let name = Array(name)
            do throws(PathProblem) { paths.append(try RelativePath(name)) } catch {
                // The others that are no relative paths, `.` and `..`, are no names of anything beneath.
                if error == .componentTooLong { overlong = name }
            }
        }

        func paths(in directory: String) throws(SystemError) -> [RelativePath] {
            guard let overlong else { return paths }
            let subject = "\(directory)/\(escapedText(overlong))"
            throw SystemError(code: ENAMETOOLONG, operation: "work with", subject: subject)
        }
    }

    /// Calls `body` with each name directly beneath this directory, `.` and `..` too, in no particular order: for folders of so many files that a
    /// list of them should be no larger than it must.
    /// - Parameter body: also told what is behind the name; nil where the file system doesn't tell.
    package func forEachName(_ body: (UnsafeRawBufferPointer, FileStatus.Kind?) -> Void) throws(SystemError) {
        // A descriptor of its own: reading moves a position that the owned one would share.
        let copy = larder_openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard copy >= 0 else { throw .last("list", name) }
        guard let stream = fdopendir(copy) else {
            let error = SystemError.last("list", name)
            close(copy)
            throw error
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .last("list", name) }
                return
            }
            // By address: an entry is only as long as its name needs, so a copy of the whole field would read past it.
            let address = UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
            let length = strlen(address.assumingMemoryBound(to: CChar.self))
            body(UnsafeRawBufferPointer(start: address, count: length), Self.kind(entry.pointee.d_type))
        }
    }

    private static func kind(_ type: UInt8) -> FileStatus.Kind? {
        switch Int(type) {
        case Int(DT_REG): .file
        case Int(DT_DIR): .directory
        case Int(DT_LNK): .symbolicLink
        case Int(DT_UNKNOWN): nil
        default: .other
        }
    }

    /// Moves what is at `source` to `target` in `directory` in one step, replacing what is there unless `replacing` is false
    /// (then fails with `EEXIST`). Where the file system can't refuse by itself (NFS, 9p, most of FUSE), that is looked at before: who relies on it
    /// there holds a lock.
    package func rename(
        _ source: RelativePath, to target: RelativePath, in directory: Directory? = nil, replacing: Bool = true
    ) throws(SystemError) {
        let holder = directory ?? self
        func move(_ flags: UInt32) throws(SystemError) -> Int32 {
            try withParents(source, holder, target) { from, old, to, new in
                larder_renameat2(from, old, to, new, flags) == 0 ? 0 : errno
            }
        }
        var code = try move(replacing ? 0 : larder_rename_noreplace)
        if !replacing, code == EINVAL || code == ENOSYS {
            code = try holder.status(of: target) == nil ? move(0) : EEXIST
        }
        guard code == 0 else {
            let to = directory?.subject(target) ?? "\(target)"
            throw SystemError(code: code, operation: "rename", subject: "\(subject(source)) to \(to)")
        }
    }

    /// Swaps what is at the two paths, the second in `directory`, in one step; fails with `EINVAL` where the file system can't.
    package func exchange(
        _ first: RelativePath, with second: RelativePath, in directory: Directory? = nil
    ) throws(SystemError) {
        try withParents(first, directory ?? self, second) { from, old, to, new in
            larder_renameat2(from, old, to, new, larder_rename_exchange)
        }.orThrow("exchange", "\(subject(first)) and \(second)")
    }

    /// Gives the file at `source` a second name; a symbolic link is linked itself, not followed.
    package func link(
        _ source: RelativePath, to target: RelativePath, in directory: Directory? = nil
    ) throws(SystemError) {
        try withParents(source, directory ?? self, target) { from, old, to, new in linkat(from, old, to, new, 0) }
            .orThrow("link", "\(subject(source)) to \(directory?.subject(target) ?? "\(target)")")
    }

    /// Makes a symbolic link whose content is `target`, which is not checked: judge it before.
    package func makeSymbolicLink(_ path: RelativePath, target: [UInt8]) throws(SystemError) {
        let content = target.map { CChar(bitPattern: $0) } + [0]
        try withParent(of: path) { parent, name in symlinkat(content, parent, name) }
            .orThrow("create the link", subject(path))
    }

    /// The content of the symbolic link at `path`.
    package func linkTarget(of path: RelativePath) throws(SystemError) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = try withParent(of: path) { parent, name in readlinkat(parent, name, &buffer, buffer.count) }
        guard count >= 0 else { throw .last("read the link", subject(path)) }
        return buffer[..<count].map { UInt8(bitPattern: $0) }
    }

    /// Removes the file or link at `path`.
    package func remove(_ path: RelativePath) throws(SystemError) {
        try withParent(of: path) { parent, name in unlinkat(parent, name, 0) }.orThrow("remove", subject(path))
    }

    /// Removes the empty directory at `path`.
    package func removeDirectory(_ path: RelativePath) throws(SystemError) {
        try withParent(of: path) { parent, name in unlinkat(parent, name, AT_REMOVEDIR) }
            .orThrow("remove", subject(path))
    }

    /// - Throws: where whoever runs the program may not create files here.
    package func checkIsWritable() throws(SystemError) {
        try faccessat(descriptor.rawValue, ".", W_OK | X_OK, AT_EACCESS).orThrow("create a file in", name)
    }

    /// Flushes the directory's own entries to the disk: after it, what was renamed or linked here survives a power loss.
    package func synchronize() throws(SystemError) { try descriptor.synchronize() }

    func subject(_ path: RelativePath) -> String { OwnedDescriptor.name(of: path, in: name) }
}

extension SignedInteger {
    /// Turns the -1 of a system call into an error.
    fileprivate func orThrow(_ operation: String, _ subject: @autoclosure () -> String) throws(SystemError) {
        if self == -1 { throw .last(operation, subject()) }
    }
}
