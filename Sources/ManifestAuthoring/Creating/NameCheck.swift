import BundleManifest
import Platform

/// Finds the files whose names no manifest can have, or of which two can't stand beside each other everywhere.
struct NameCheck {
    private(set) var refused = ToldLines()
    /// What is odd about names in the folder that is looked at: whether that matters depends on what becomes of the files.
    private var doubts: [Doubt] = []
    /// What the doubts are about, and which files of the manifest have it in their paths.
    private var standing: [RelativePath: Standing] = [:]

    private enum Standing: Int {
        /// None.
        case absent
        /// Only some that the manifest had before.
        case known
        case new
    }

    private enum Doubt {
        /// No manifest can have it, as the line says.
        case path(RelativePath, line: String)
        /// Of one folder, in its order: not even two of them can stand beside each other everywhere.
        case sameName([RelativePath], SourceFolder)
    }

    // MARK: Doubts

    /// Looks at what stands in one folder: what can't be told apart there can't be anywhere beneath.
    /// - Parameter path: of that folder; nil: the topmost one.
    mutating func check(_ names: FolderNames, in path: RelativePath?, of folder: SourceFolder) {
        refused.add(names.unusable, of: folder.shown(path))
        guard names.mayCollide else { return }
        let found = Self.collisions(names.count) { index in
            let (name, kind) = names[index]
            return kind == .file || kind == .directory ? name : nil
        }
        for same in found {
            // The walk tells itself of paths that are too long.
            let paths = path.map { path in same.compactMap { try? path.appending($0) } } ?? same
            doubts.append(.sameName(paths, folder))
            for path in paths { standing[path] = standing[path] ?? .absent }
        }
    }

    mutating func check(_ path: RelativePath, of folder: SourceFolder) {
        guard let why = Self.objection(to: path) else { return }
        doubts.append(.path(path, line: "\(folder.shown(path)): \(why)"))
        standing[path] = standing[path] ?? .absent
    }

    var hasDoubts: Bool { !doubts.isEmpty }

    /// Says that a file's path will stand in the manifest.
    /// - Parameter isKnown: whether it does so already.
    mutating func confirm(_ path: RelativePath, isKnown: Bool) {
        let confirmed: Standing = isKnown ? .known : .new
        var path: RelativePath? = path
        while let next = path {
            if let known = standing[next], known.rawValue < confirmed.rawValue { standing[next] = confirmed }
            path = next.parent
        }
    }

    /// Ends a folder: what is odd about names that stand in the manifest is told, unless its author has taken it before.
    mutating func settle() {
        for doubt in doubts {
            switch doubt {
            case .path(let path, let line): if standing[path] == .new { refused.add(line) }
            case .sameName(let paths, let folder): settle(paths.filter { standing[$0] != .absent }, folder)
            }
        }
        doubts = []
        standing = [:]
    }

    /// - Parameter paths: that stand in the manifest, and are the same where case doesn't count.
    private mutating func settle(_ paths: [RelativePath], _ folder: SourceFolder) {
        guard let first = paths.first else { return }
        var isTaken = standing[first] == .known
        for path in paths.dropFirst() {
            let isKnown = standing[path] == .known
            // Its author has taken what stood there together before.
            if !(isKnown && isTaken) { refused.add(Self.line(first.name, path.name, shown: folder.shown(path))) }
            isTaken = isTaken || isKnown
        }
    }

    // MARK: Certainties

    /// Looks at the names of folders that a user named.
    mutating func check(_ folders: [SourceFolder]) {
        let paths = folders.filter { $0.files == nil }.map { try? RelativePath(Array($0.path.dropFirst())) }
        for same in Self.collisions(paths.count, { paths[$0] }) {
            for again in same.dropFirst() { refused.add(Self.line(same[0], again, shown: "/\(again)")) }
        }
    }

    mutating func addTooDeep(_ shown: String) {
        refused.add(
            "\(shown): what is beneath lies deeper than \(PathRules.mostComponents) folders, or its path is too long")
    }

    // MARK: Names

    /// Why no manifest can have a path; nil where it can.
    static func objection(to path: RelativePath) -> String? {
        guard let text = String(validating: path.bytes, as: UTF8.self) else { return "the name isn't UTF-8" }
        // As it is written: composition can make a name longer.
        do throws(Problem) { try PathRules.check(path: PortableNames.composed(text)) } catch {
            return error.message + (error.hint.map { " (\($0))" } ?? "")
        }
        return nil
    }

    private static func line(_ first: RelativePath, _ again: RelativePath, shown: String) -> String {
        "\(shown): \(first) is the same name where case doesn't count"
    }

    /// - Parameter name: the name with a number; nil for one that doesn't count.
    /// - Returns: two or more names each that are the same where case doesn't count, in their order.
    private static func collisions(_ count: Int, _ name: (Int) -> RelativePath?) -> [[RelativePath]] {
        // By hash at first: a folder may have a million names. What isn't UTF-8 is told by itself.
        var (known, repeated): (Set<Int>, Set<Int>) = ([], [])
        for index in 0..<count {
            guard let hash = name(index).flatMap(key)?.hashValue else { continue }
            if !known.insert(hash).inserted { repeated.insert(hash) }
        }
        guard !repeated.isEmpty else { return [] }
        var groups: [[RelativePath]] = []
        var numbers: [String: Int] = [:]
        for index in 0..<count {
            guard let name = name(index), let key = key(name), repeated.contains(key.hashValue) else { continue }
            if let number = numbers[key] {
                groups[number].append(name)
            } else {
                numbers[key] = groups.count
                groups.append([name])
            }
        }
        return groups.filter { $0.count > 1 }
    }

    /// What a name counts as on systems that look at neither case nor composition; nil where it isn't UTF-8.
    private static func key(_ name: RelativePath) -> String? {
        String(validating: name.bytes, as: UTF8.self).map { PortableNames.composed($0.caseFolded) }
    }
}
