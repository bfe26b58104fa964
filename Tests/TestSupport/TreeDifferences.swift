import Glibc

/// What differs between two directories: paths, kinds, contents, targets of links and, if asked for, permissions.
///
/// - Returns: a readable line a difference, in the order of the paths; none if the trees are equal.
package func treeDifferences(
    _ expected: String, _ actual: String, comparingModes: Bool = false
) throws(SystemError) -> [String] {
    let comparison = TreeComparison(
        expected: FilePathBytes(expected), actual: FilePathBytes(actual), comparingModes: comparingModes)
    return try comparison.differences(in: "")
}

private struct TreeComparison {
    let expected: FilePathBytes
    let actual: FilePathBytes
    let comparingModes: Bool

    /// - Parameter directory: relative to both roots; empty, or with a slash at the end.
    func differences(in directory: FilePathBytes) throws(SystemError) -> [String] {
        let expectedNames = Set(try directoryEntries(expected + "/" + directory))
        let actualNames = Set(try directoryEntries(actual + "/" + directory))
        var found: [String] = []
        for name in expectedNames.union(actualNames).sorted() {
            let path = directory + name
            if !actualNames.contains(name) {
                found.append("\(path): missing")
            } else if !expectedNames.contains(name) {
                found.append("\(path): unexpected")
            } else {
                found += try differences(at: path)
            }
        }
        return found
    }

    private func differences(at path: FilePathBytes) throws(SystemError) -> [String] {
        let (wanted, got) = (try Node(expected + "/" + path), try Node(actual + "/" + path))
        guard wanted.kind == got.kind else { return ["\(path): \(got.kindName) instead of \(wanted.kindName)"] }
        var found: [String] = []
        if comparingModes, wanted.mode != got.mode {
            found.append("\(path): mode \(String(got.mode, radix: 8)) instead of \(String(wanted.mode, radix: 8))")
        }
        switch wanted.kind {
        case S_IFDIR: found += try differences(in: path + "/")
        case S_IFREG:
            let (wanted, got) = (try readFile(wanted.path), try readFile(got.path))
            if let difference = contentDifference(wanted, got) { found.append("\(path): \(difference)") }
        case S_IFLNK:
            let (wanted, got) = (try wanted.target, try got.target)
            if wanted != got { found.append("\(path): links to \(got) instead of \(wanted)") }
        default: break
        }
        return found
    }
}

/// Something in a directory, not followed if it is a link.
private struct Node {
    let path: FilePathBytes
    let kind: mode_t
    let mode: mode_t

    init(_ path: FilePathBytes) throws(SystemError) {
        self.path = path
        var status = stat()
        try check(path.withCString { lstat($0, &status) }, "lstat \(path)")
        kind = status.st_mode & S_IFMT
        mode = status.st_mode & 0o7777
    }

    var kindName: String {
        switch kind {
        case S_IFDIR: "a directory"
        case S_IFREG: "a file"
        case S_IFLNK: "a link"
        default: "something else"
        }
    }

    var target: FilePathBytes {
        get throws(SystemError) {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = try check(path.withCString { readlink($0, &buffer, buffer.count) }, "readlink \(path)")
            return FilePathBytes(buffer[..<count].map(UInt8.init(bitPattern:)))
        }
    }
}
