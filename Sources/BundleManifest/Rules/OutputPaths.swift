import Diagnostics

/// The files that one bundle will make, to find those that can't stand beside each other.
///
/// Names that differ only in how Unicode composes them count as equal: some file systems can't tell them apart.
struct OutputPaths {
    struct Conflict: Error {
        let rule: ManifestRule
        let first: SourceRange
    }

    private struct Key: Hashable {
        let folder: Int
        let name: String
    }

    private struct Entry {
        /// The number under which a folder's own entries are kept; nil for a file.
        let folder: Int?
        let place: SourceRange
    }

    private var entries: [Key: Entry] = [:]
    private var folderCount = 1
    /// The folder of the path before: neighbours in a list mostly share it.
    private var lastFolder = (prefix: "", number: 0)

    /// - Throws: what it collides with; the path then isn't added.
    mutating func insert(_ path: String, at place: SourceRange) throws(Conflict) {
        let nameStart = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let folder = try folderNumber(path[..<nameStart], at: place)
        let key = Key(folder: folder, name: String(path[nameStart...]))
        if let present = entries[key] {
            throw Conflict(rule: present.folder == nil ? .repeatedPath : .fileIsFolder, first: present.place)
        }
        entries[key] = Entry(folder: nil, place: place)
    }

    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
    }

    /// - Parameter prefix: a path's folders, with their final slash; empty for none.
    private mutating func folderNumber(_ prefix: Substring, at place: SourceRange) throws(Conflict) -> Int {
        if prefix == lastFolder.prefix { return lastFolder.number }
        var number = 0
        for name in prefix.split(separator: "/") {
            let key = Key(folder: number, name: String(name))
            if let present = entries[key] {
                guard let folder = present.folder else { throw Conflict(rule: .fileIsFolder, first: present.place) }
                number = folder
            } else {
                entries[key] = Entry(folder: folderCount, place: place)
                number = folderCount
                folderCount += 1
            }
        }
        lastFolder = (String(prefix), number)
        return number
    }
}
