/// The files that one bundle will make, to find those that can't stand beside each other.
///
/// Names that differ only in how Unicode composes them count as equal: some file systems can't tell them apart. Memory grows with the
/// length of the paths, not with its square: a folder is kept once, as a name in its parent.
struct OutputPaths {
    struct Conflict: Error, Equatable {
        let rule: ManifestRule
        /// The ordinal of the path that was there first.
        let first: Int
    }

    private struct Key: Hashable {
        let folder: Int
        let name: String
    }

    private struct Entry {
        /// The number under which a folder's own entries are kept; nil for a file.
        let folder: Int?
        /// The first path that made this entry.
        let ordinal: Int
    }

    private var entries: [Key: Entry] = [:]
    private var folderCount = 1
    /// The folder of the path before: neighbours in a list mostly share it.
    private var lastFolder = (prefix: Substring(), number: 0)

    init(expecting count: Int) {
        entries.reserveCapacity(count)
    }

    /// - Parameter ordinal: what a later conflict calls this path.
    /// - Throws: what it collides with; the path then isn't added.
    mutating func insert(_ path: String, ordinal: Int) throws(Conflict) {
        let nameStart = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let folder = try folderNumber(path[..<nameStart], ordinal: ordinal)
        let key = Key(folder: folder, name: String(path[nameStart...]))
        guard let present = entries.updateValue(Entry(folder: nil, ordinal: ordinal), forKey: key) else { return }
        entries[key] = present
        throw Conflict(rule: present.folder == nil ? .repeatedPath : .fileIsFolder, first: present.ordinal)
    }

    /// - Parameter prefix: a path's folders, with their final slash; empty for none.
    private mutating func folderNumber(_ prefix: Substring, ordinal: Int) throws(Conflict) -> Int {
        if prefix.isEmpty { return 0 }
        if prefix == lastFolder.prefix { return lastFolder.number }
        var number = 0
        for name in prefix.split(separator: "/") {
            let key = Key(folder: number, name: String(name))
            if let present = entries[key] {
                guard let folder = present.folder else { throw Conflict(rule: .fileIsFolder, first: present.ordinal) }
                number = folder
            } else {
                entries[key] = Entry(folder: folderCount, ordinal: ordinal)
                number = folderCount
                folderCount += 1
            }
        }
        lastFolder = (prefix, number)
        return number
    }

    /// Pairs of paths that both can be made, but not on a file system that ignores case; at most a hundred.
    static func caseCollisions(among paths: [String]) -> [(first: Int, again: Int)] {
        // By hash first: a table of a million lowercased paths would be as large as the text.
        var seen: [Int: Int] = [:]
        seen.reserveCapacity(paths.count)
        var walk = LowercasedWalk()
        var found: [(first: Int, again: Int)] = []
        for (ordinal, path) in paths.enumerated() where !path.isEmpty {
            let earlier = walk.hashes(of: path).compactMap { hash -> Int? in
                if let first = seen[hash] { return first }
                seen[hash] = ordinal
                return nil
            }
            guard let first = earlier.first(where: { differInCase(paths[$0], path) }) else { continue }
            found.append((first, ordinal))
            if found.count == 100 { break }
        }
        return found
    }

    private static func differInCase(_ one: String, _ other: String) -> Bool {
        func collide(_ one: String, _ other: String) -> Bool {
            one == other || one.hasPrefix(other + "/") || other.hasPrefix(one + "/")
        }
        return collide(one.lowercased(), other.lowercased()) && !collide(one, other)
    }
}

/// The hashes of paths in lower case, one path after the other.
private struct LowercasedWalk {
    private var folder = ""
    private var folderHasher = Hasher()

    /// - Returns: that of the path, behind those of the folders on its way that the path before doesn't have.
    mutating func hashes(of path: String) -> [Int] {
        let path = path.lowercased()
        let nameStart = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        var hashes: [Int] = []
        if path[..<nameStart] != folder {
            folder = String(path[..<nameStart])
            folderHasher = Hasher()
            for name in folder.split(separator: "/") { hashes.append(Self.add(name, to: &folderHasher)) }
        }
        var hasher = folderHasher
        hashes.append(Self.add(path[nameStart...], to: &hasher))
        return hashes
    }

    /// - Returns: the hash so far; the hasher can go on.
    private static func add(_ name: Substring, to hasher: inout Hasher) -> Int {
        hasher.combine(name)
        let copy = hasher
        return copy.finalize()
    }
}
