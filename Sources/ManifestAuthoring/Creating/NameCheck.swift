import BundleManifest
import Platform

/// Finds the files whose names no manifest can have, or of which two can't stand beside each other everywhere.
struct NameCheck {
    /// The first of them, a line each; of a million a few tell enough.
    private(set) var lines: [String] = []
    private(set) var count = 0
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

    private struct Doubt {
        let paths: [RelativePath]
        let line: String
    }

    private static let mostLines = 100

    // MARK: Doubts

    /// Looks at what stands in one folder: what can't be told apart there can't be anywhere beneath.
    /// - Parameter path: of that folder; nil: the topmost one.
    mutating func check(_ names: FolderNames, in path: RelativePath?, of folder: SourceFolder) {
        guard names.mayCollide else { return }
        let found = Self.collisions(names.count) { index in
            let (name, kind) = names[index]
            return kind == .file || kind == .directory ? name : nil
        }
        for (first, again) in found {
            // The walk tells itself of paths that are too long.
            guard let path else {
                doubt([first, again], Self.line(first, again, shown: folder.shown(again)))
                continue
            }
            guard let one = try? path.appending(first), let other = try? path.appending(again) else { continue }
            doubt([one, other], Self.line(first, again, shown: folder.shown(other)))
        }
    }

    mutating func check(_ path: RelativePath, of folder: SourceFolder) {
        if let why = Self.objection(to: path) { doubt([path], "\(folder.shown(path)): \(why)") }
    }

    private mutating func doubt(_ paths: [RelativePath], _ line: String) {
        doubts.append(Doubt(paths: paths, line: line))
        for path in paths { standing[path] = standing[path] ?? .absent }
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

    /// Ends a folder: what is odd about two names that both stand in the manifest, or about one, is told, unless its author has taken it before.
    mutating func settle() {
        for doubt in doubts {
            let standings = doubt.paths.map { standing[$0] ?? .absent }
            if !standings.contains(.absent), standings.contains(.new) { add(doubt.line) }
        }
        doubts = []
        standing = [:]
    }

    // MARK: Certainties

    /// Looks at the names of folders that a user named.
    mutating func check(_ folders: [SourceFolder]) {
        let paths = folders.filter { $0.files == nil }.map { try? RelativePath(Array($0.path.dropFirst())) }
        for (first, again) in Self.collisions(paths.count, { paths[$0] }) {
            add(Self.line(first, again, shown: "/\(again)"))
        }
    }

    mutating func addTooDeep(_ shown: String) {
        add("\(shown): what is beneath lies deeper than \(PathRules.mostComponents) folders, or its path is too long")
    }

    private mutating func add(_ line: String) {
        count += 1
        if lines.count < Self.mostLines { lines.append(line) }
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
    private static func collisions(
        _ count: Int, _ name: (Int) -> RelativePath?
    ) -> [(first: RelativePath, again: RelativePath)] {
        // By hash: a folder may have a million names.
        var known: [Int: Int] = [:]
        var found: [(RelativePath, RelativePath)] = []
        for index in 0..<count {
            // What isn't UTF-8 is told by itself.
            guard let again = name(index), let key = key(again) else { continue }
            guard let earlier = known.updateValue(index, forKey: key.hashValue), let first = name(earlier),
                Self.key(first) == key
            else { continue }
            found.append((first, again))
        }
        return found
    }

    /// What a name counts as on systems that look at neither case nor composition; nil where it isn't UTF-8.
    private static func key(_ name: RelativePath) -> String? {
        String(validating: name.bytes, as: UTF8.self).map { PortableNames.composed($0.caseFolded) }
    }
}
