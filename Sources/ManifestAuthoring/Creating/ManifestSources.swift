import Glibc
import Platform

/// The files and folders that a manifest is made of, as a user named them.
package struct ManifestSources: Sendable {
    /// First what is taken whole, then the named files of each folder, so that a playlist finds its segments beside it.
    private(set) var folders: [SourceFolder] = []
    /// What the first operand is called.
    package let name: RelativePath
    /// The folder that URLs are relative to.
    package private(set) var base: [UInt8]

    private static let slash = UInt8(ascii: "/")

    /// Opens what is at the paths, following links.
    /// - Throws: `overlapping` for what would be in the manifest twice.
    package init(_ paths: [String]) throws(CreationProblem) {
        var whole: [SourceFolder] = []
        var named: [SourceFolder] = []
        /// By the paths of their folders: thousands of files need one descriptor.
        var numbers: [[UInt8]: Int] = [:]
        var places: [(path: [UInt8], typed: String)] = []
        var firstName: RelativePath?
        for typed in paths {
            let place = try CreationProblem.asked { () throws(SystemError) in try Place(typed) }
            places.append((place.path, typed))
            firstName = firstName ?? place.name
            if let directory = try CreationProblem.asked({ () throws(SystemError) in try place.directory() }) {
                whole.append(SourceFolder(directory, path: place.path))
            } else if let number = numbers[place.parent] {
                try CreationProblem.asked { () throws(SystemError) in try place.checkIsFile(in: named[number].root) }
                named[number].add(place.name)
            } else {
                let root = try CreationProblem.asked { () throws(SystemError) in
                    let root = try Directory.open(place.parentTyped)
                    try place.checkIsFile(in: root)
                    return root
                }
                numbers[place.parent] = named.count
                named.append(SourceFolder(root, path: place.parent, files: [place.name]))
            }
        }
        try Self.checkDisjoint(places)
        folders = whole + named
        name = firstName ?? "root"
        // A folder alone is what its URLs are relative to; of several, and of files, what all are in.
        let parents = whole.count == 1 && named.isEmpty ? whole.map(\.path) : whole.map { Self.parent($0.path) }
        base = Self.common(parents + named.map(\.path))
        setPrefixes()
    }

    /// Makes URLs relative to another folder, where the manifest will lie.
    /// - Returns: false, and changes nothing, where not everything lies beneath it.
    package mutating func setBase(_ folder: [UInt8]) -> Bool {
        guard folders.allSatisfy({ ($0.path + [Self.slash]).starts(with: folder + [Self.slash]) }) else { return false }
        base = folder
        setPrefixes()
        return true
    }

    private mutating func setPrefixes() {
        for index in folders.indices {
            folders[index].place = try? RelativePath(Array(folders[index].path.dropFirst(base.count + 1)))
        }
    }

    private static func checkDisjoint(_ places: [(path: [UInt8], typed: String)]) throws(CreationProblem) {
        // With a slash behind each, what lies in a folder follows it at once.
        let sorted = places.map { (path: $0.path + [slash], typed: $0.typed) }
            .sorted { $0.path.lexicographicallyPrecedes($1.path) }
        for (outer, inner) in zip(sorted, sorted.dropFirst()) where inner.path.starts(with: outer.path) {
            throw .overlapping(escapedText(outer.typed), escapedText(inner.typed))
        }
    }

    private static func parent(_ path: [UInt8]) -> [UInt8] { Array(path[..<(path.lastIndex(of: slash) ?? 0)]) }

    /// The innermost folder that all of these are, or are in; empty for the topmost one.
    private static func common(_ paths: [[UInt8]]) -> [UInt8] {
        var common = paths.first ?? []
        for path in paths.dropFirst() {
            while !(path + [slash]).starts(with: common + [slash]) { common = parent(common) }
        }
        return common
    }
}

/// Where an operand leads.
private struct Place {
    /// The absolute path of the folder it is in, behind links, without a slash at the end.
    let parent: [UInt8]
    /// The last component as it was typed; of `.` and the like, as the folder is called.
    let name: RelativePath
    let path: [UInt8]
    /// What the folder and the thing itself are opened by, and called in messages.
    let parentTyped: String
    private let typed: String

    private static let slash = UInt8(ascii: "/")

    init(_ operand: String) throws(SystemError) {
        let bytes = Array(operand.utf8)
        let end = bytes.lastIndex { $0 != Self.slash }.map { $0 + 1 } ?? 0
        let start = bytes[..<end].lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
        typed = end == 0 ? operand : String(decoding: bytes[..<end], as: UTF8.self)
        if let name = try? RelativePath(Array(bytes[start..<end])) {
            self.name = name
            parentTyped = Self.folder(bytes[..<start])
            parent = try Self.resolved(parentTyped)
            path = parent + [Self.slash] + name.bytes
        } else {
            path = try Self.resolved(operand)
            parent = Array(path[..<(path.lastIndex(of: Self.slash) ?? 0)])
            name = (try? RelativePath(Array(path.dropFirst(parent.count + 1)))) ?? "root"
            parentTyped = operand
        }
    }

    /// Nil for a file.
    func directory() throws(SystemError) -> Directory? {
        do throws(SystemError) { return try Directory.open(typed) } catch {
            guard error.code == ENOTDIR else { throw error }
            return nil
        }
    }

    func checkIsFile(in folder: Directory) throws(SystemError) {
        guard try folder.openNamed(name).status().kind == .file else {
            throw SystemError(code: EINVAL, operation: "make a manifest of", subject: escapedText(typed))
        }
    }

    private static func folder(_ bytes: ArraySlice<UInt8>) -> String {
        guard !bytes.isEmpty else { return "." }
        return bytes.count == 1 ? "/" : String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    private static func resolved(_ path: String) throws(SystemError) -> [UInt8] {
        guard let resolved = realpath(path, nil) else { throw .last("open", escapedText(path)) }
        defer { free(resolved) }
        let bytes = UnsafeRawBufferPointer(start: resolved, count: strlen(resolved))
        return bytes.count == 1 ? [] : Array(bytes)
    }
}
