import BundleManifest
import Platform

/// The paths of a list's files: which are taken, and by what.
struct ListedPaths {
    private var paths: [String] = []
    /// The lines that the files begin in.
    private var lines: [Int] = []
    /// By what a path counts as where neither case nor composition does.
    private var ordinals: [String: Int] = [:]
    /// The lines of further paths that count as one of these.
    private var alike: [String: Int] = [:]
    /// The last number that was put into a name.
    private var numbers: [String: Int] = [:]

    enum Collision {
        case same(line: Int)
        /// Only case or composition tells them apart.
        case alike(line: Int)
    }

    /// Takes a path that the list gives.
    /// - Returns: the first file that has it already.
    mutating func take(_ path: String, line: Int) -> Collision? {
        let key = Self.key(path)
        if let ordinal = ordinals[key] {
            guard !paths[ordinal].utf8.elementsEqual(path.utf8) else { return .same(line: lines[ordinal]) }
            if let earlier = alike[path] { return .same(line: earlier) }
            alike[path] = line
            return .alike(line: lines[ordinal])
        }
        add(path, key, line)
        return nil
    }

    /// Takes a name that a file has of its URL; with a number before its ending where others are called so.
    mutating func takeUnique(_ name: String, line: Int) -> String {
        let key = Self.key(name)
        guard ordinals[key] != nil else {
            add(name, key, line)
            return name
        }
        let start = name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name.utf8.index(after: $0) } ?? name.startIndex
        let dot = name[start...].utf8.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        while true {
            let number = (numbers[key] ?? 1) + 1
            numbers[key] = number
            let other = "\(name[..<dot])-\(number)\(name[dot...])"
            let otherKey = Self.key(other)
            guard ordinals[otherKey] == nil else { continue }
            add(other, otherKey, line)
            return other
        }
    }

    /// Files that others have for a folder.
    func folders() -> [(fileLine: Int, beneath: String, beneathLine: Int)] {
        var found: [(fileLine: Int, beneath: String, beneathLine: Int)] = []
        for (path, line) in zip(paths, lines) {
            for slash in path.utf8.indices where path.utf8[slash] == UInt8(ascii: "/") {
                guard let fileLine = self.line(of: String(path[..<slash])) else { continue }
                found.append((fileLine, path, line))
            }
        }
        return found
    }

    private func line(of path: String) -> Int? {
        guard let ordinal = ordinals[Self.key(path)] else { return nil }
        return paths[ordinal].utf8.elementsEqual(path.utf8) ? lines[ordinal] : alike[path]
    }

    private mutating func add(_ path: String, _ key: String, _ line: Int) {
        ordinals[key] = paths.count
        paths.append(path)
        lines.append(line)
    }

    private static func key(_ path: String) -> String {
        path.utf8.allSatisfy { $0 < 0x80 && $0 &- UInt8(ascii: "A") >= 26 }
            ? path : PortableNames.composed(path.caseFolded)
    }
}
