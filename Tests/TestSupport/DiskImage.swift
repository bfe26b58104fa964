import Glibc

/// A tree of files in memory: what a disk holds at a moment.
package struct DiskImage: Sendable {
    /// A file, directory or link, whatever its names are; never used for two of them, as inode numbers are.
    typealias NodeID = Int

    enum Node: Sendable {
        case file(File)
        case directory(mode: UInt32, entries: [FilePathBytes: NodeID])
        case symbolicLink(target: FilePathBytes)
    }

    struct File: Sendable {
        var mode: UInt32
        var content: [UInt8] = []
        var modified: (seconds: Int, nanoseconds: Int)?
    }

    static let root: NodeID = 0
    var nodes: [NodeID: Node] = [:]
    /// What the numbers that the kernel calls them by stand for.
    private(set) var identities: [RecordedCall.Inode: NodeID] = [:]

    /// Reads all that is beneath a directory.
    package init(of path: String) throws(SystemError) { try read(FilePathBytes(path)) }

    /// Gives something new an identity.
    mutating func add(_ node: Node, inode: RecordedCall.Inode) -> NodeID {
        let identity = nodes.count
        nodes[identity] = node
        identities[inode] = identity
        return identity
    }

    @discardableResult
    private mutating func read(_ path: FilePathBytes) throws(SystemError) -> NodeID {
        var status = stat()
        try check(path.withCString { lstat($0, &status) }, "lstat \(path)")
        // A file of several names is read once.
        if let known = identities[UInt64(status.st_ino)] { return known }
        let mode = UInt32(status.st_mode & 0o7777)
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            let identity = add(.directory(mode: mode, entries: [:]), inode: UInt64(status.st_ino))
            var entries: [FilePathBytes: NodeID] = [:]
            for name in try directoryEntries(path) { entries[name] = try read(path + "/" + name) }
            nodes[identity] = .directory(mode: mode, entries: entries)
            return identity
        case S_IFLNK:
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = try check(path.withCString { readlink($0, &buffer, buffer.count) }, "readlink \(path)")
            let target = FilePathBytes(buffer[..<count].map(UInt8.init(bitPattern:)))
            return add(.symbolicLink(target: target), inode: UInt64(status.st_ino))
        default:
            let time = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            return add(
                .file(File(mode: mode, content: try readFile(path), modified: time)), inode: UInt64(status.st_ino))
        }
    }

    /// Tells this tree from others in this process: by its names, and by what has them.
    package var fingerprint: Int {
        var hasher = Hasher()
        var numbers: [NodeID: Int] = [:]
        var pending = [Self.root]
        while let identity = pending.popLast() {
            // A second name of the same file.
            if let number = numbers[identity] {
                hasher.combine(number)
                continue
            }
            numbers[identity] = numbers.count
            switch nodes[identity] {
            case .directory(let mode, let entries):
                hasher.combine(mode)
                for (name, node) in entries.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
                    hasher.combine(name)
                    pending.append(node)
                }
            case .symbolicLink(let target): hasher.combine(target)
            case .file(let file):
                hasher.combine(file.mode)
                hasher.combine(file.modified?.seconds)
                hasher.combine(file.modified?.nanoseconds)
                file.content.withUnsafeBytes { hasher.combine(bytes: $0) }
            case nil: break
            }
        }
        return hasher.finalize()
    }

    /// Makes the tree at `path`, where nothing is.
    package func write(to path: String) throws(SystemError) {
        var made: [NodeID: FilePathBytes] = [:]
        var pending = [(Self.root, FilePathBytes(path))]
        while let (identity, path) = pending.popLast() {
            guard let node = nodes[identity] else { continue }
            if let other = made.updateValue(path, forKey: identity), case .file = node {
                let code = other.withCString { other in path.withCString { Glibc.link(other, $0) } }
                try check(code, "link \(path)")
                continue
            }
            switch node {
            case .directory(let mode, let entries):
                try check(path.withCString { mkdir($0, 0o700) }, "mkdir \(path)")
                try check(path.withCString { chmod($0, mode) }, "chmod \(path)")
                pending += entries.map { ($1, path + "/" + $0) }
            case .symbolicLink(let target):
                let code = target.withCString { target in path.withCString { symlink(target, $0) } }
                try check(code, "symlink \(path)")
            case .file(let file): try write(file, to: path)
            }
        }
    }

    private func write(_ file: File, to path: FilePathBytes) throws(SystemError) {
        try writeFile(file.content, to: String(decoding: path.bytes, as: UTF8.self), mode: file.mode)
        guard let time = file.modified else { return }
        let modified = timespec(tv_sec: time.seconds, tv_nsec: time.nanoseconds)
        try check(path.withCString { utimensat(AT_FDCWD, $0, [modified, modified], 0) }, "utimensat \(path)")
    }

    // MARK: Changing

    /// What a name in a directory stands for.
    func node(_ name: FilePathBytes, in directory: NodeID) -> NodeID? {
        guard case .directory(_, let entries)? = nodes[directory] else { return nil }
        return entries[name]
    }

    mutating func setEntry(_ name: FilePathBytes, in directory: NodeID, to node: NodeID?) {
        guard case .directory(let mode, var entries)? = nodes[directory] else { return }
        entries[name] = node
        nodes[directory] = .directory(mode: mode, entries: entries)
    }

    mutating func changeFile(_ identity: NodeID, _ change: (inout File) -> Void) {
        guard case .file(var file)? = nodes[identity] else { return }
        change(&file)
        nodes[identity] = .file(file)
    }

    mutating func setMode(_ identity: NodeID, _ mode: UInt32) {
        switch nodes[identity] {
        case .file(var file)?:
            file.mode = mode
            nodes[identity] = .file(file)
        case .directory(_, let entries)?: nodes[identity] = .directory(mode: mode, entries: entries)
        default: break
        }
    }
}
