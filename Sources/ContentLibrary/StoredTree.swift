import Glibc
import Platform

/// What stands beneath a content directory, in the order of the paths' bytes, which is that of receipts. Links are not followed.
///
/// Of directories only the empty ones are told. In memory are the names of one directory, and of those above it.
struct StoredTree {
    enum Kind {
        case file, symbolicLink, emptyDirectory, other
    }

    private struct Level {
        let path: RelativePath?
        /// The next one is the last.
        var names: [(name: RelativePath, kind: FileStatus.Kind)]
    }

    private let root: Directory
    private var levels: [Level] = []
    /// What is wrong with directories that were come to.
    private(set) var damage: [ContentDamage] = []

    init(_ root: Directory) {
        self.root = root
        _ = enter(nil)
    }

    /// Takes note of what is wrong with directories.
    mutating func takeDamage() -> [ContentDamage] {
        defer { damage = [] }
        return damage
    }

    mutating func next() -> (path: RelativePath, kind: Kind)? {
        while let last = levels.indices.last {
            guard let (name, kind) = levels[last].names.popLast() else {
                levels.removeLast()
                continue
            }
            guard let path = appended(name, to: levels[last].path) else { continue }
            switch kind {
            case .file: return (path, .file)
            case .symbolicLink: return (path, .symbolicLink)
            case .other: return (path, .other)
            case .directory: if enter(path) == 0 { return (path, .emptyDirectory) }
            }
        }
        return nil
    }

    private mutating func appended(_ name: RelativePath, to parent: RelativePath?) -> RelativePath? {
        do { return try parent?.appending(name) ?? name } catch {
            // No receipt has such a path.
            damage.append(ContentDamage(parent, .unreadable("\(name) beneath it: \(error)")))
            return nil
        }
    }

    /// - Returns: how many names it has; nil where it can't be read.
    private mutating func enter(_ path: RelativePath?) -> Int? {
        do {
            let directory = try path.map { path throws(SystemError) in try root.subdirectory(path) } ?? root
            let mode = try directory.descriptor.status().mode
            if mode != LibraryLayout.directoryMode {
                damage.append(ContentDamage(path, .wrongMode(mode, expected: LibraryLayout.directoryMode)))
            }
            var names: [(name: RelativePath, kind: FileStatus.Kind)] = []
            for name in try directory.names() {
                if let kind = try directory.status(of: name)?.kind { names.append((name, kind)) }
            }
            names.sort { Self.sortingKey($1).lexicographicallyPrecedes(Self.sortingKey($0)) }
            levels.append(Level(path: path, names: names))
            return names.count
        } catch {
            damage.append(ContentDamage(path, .unreadable("\(error)")))
            return nil
        }
    }

    /// What is beneath a directory has a slash behind the name.
    private static func sortingKey(_ item: (name: RelativePath, kind: FileStatus.Kind)) -> [UInt8] {
        item.kind == .directory ? item.name.bytes + [UInt8(ascii: "/")] : item.name.bytes
    }
}
