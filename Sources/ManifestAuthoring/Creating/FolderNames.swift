import Platform

/// What stands in a folder, ordered by the bytes of the names. All names lie in one piece of memory: folders may have a million.
struct FolderNames {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Names that nothing can be called in a manifest, nor opened by us: some file systems have longer ones than Linux itself.
    private(set) var unusable = ToldLines()

    private struct Entry {
        let start: UInt32
        let length: UInt8
        let kind: FileStatus.Kind
    }

    /// - Parameter isWanted: asked of each; nothing else is kept.
    init(of directory: Directory, isWanted: (RelativePath, FileStatus.Kind) -> Bool) throws(SystemError) {
        var unclear: [RelativePath] = []
        try directory.forEachName { name, kind in
            guard let path = usable(name) else { return }
            guard let kind else { return unclear.append(path) }
            if isWanted(path, kind) { append(path, kind) }
        }
        for path in unclear {
            if let kind = try directory.status(of: path)?.kind, isWanted(path, kind) { append(path, kind) }
        }
        sort()
    }

    /// Of some files alone.
    init(_ files: Set<RelativePath>, isWanted: (RelativePath) -> Bool) {
        for file in files where isWanted(file) { append(file, .file) }
        sort()
    }

    /// Nil for what is no name in the folder: itself and the one above, and what it can't be opened by.
    mutating func usable(_ name: UnsafeRawBufferPointer) -> RelativePath? {
        do throws(PathProblem) { return try RelativePath(Array(name)) } catch {
            if error != .dotComponent, error != .leavesDirectory {
                unusable.add("\(escapedText(Array(name))): \(error)")
            }
            return nil
        }
    }

    private mutating func sort() {
        entries = bytes.withUnsafeBytes { bytes in
            entries.sorted { Self.name($0, in: bytes).lexicographicallyPrecedes(Self.name($1, in: bytes)) }
        }
    }

    private mutating func append(_ name: RelativePath, _ kind: FileStatus.Kind) {
        // A component of a path has 255 bytes at most, and no folder holds names of 4 GiB.
        guard let start = UInt32(exactly: bytes.count), let length = UInt8(exactly: name.bytes.count) else {
            return unusable.add("\(name): the folder holds more names than can be gone through")
        }
        entries.append(Entry(start: start, length: length, kind: kind))
        bytes += name.bytes
    }

    private static func name(_ entry: Entry, in bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        bytes[Int(entry.start)..<Int(entry.start) + Int(entry.length)]
    }

    var count: Int { entries.count }

    subscript(index: Int) -> (name: RelativePath, kind: FileStatus.Kind) {
        let entry = entries[index]
        return (RelativePath(checked: bytes[Int(entry.start)..<Int(entry.start) + Int(entry.length)]), entry.kind)
    }

    /// Whether some name has a letter that another one could write differently.
    var mayCollide: Bool { bytes.contains { $0 >= 0x80 || $0 &- UInt8(ascii: "A") < 26 } }
}
