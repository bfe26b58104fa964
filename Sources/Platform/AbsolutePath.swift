import Glibc

/// The path as it leads to the same place from any working directory.
package func absolutePath(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
}

/// Where a path leads, behind links and without `..`; of what isn't there yet, where it would be made.
package func resolvedPath(_ path: String) -> String {
    var missing: [Substring] = []
    var known = absolutePath(path)[...]
    while !known.isEmpty {
        if let resolved = realpath(String(known), nil) {
            defer { free(resolved) }
            let folder = String(cString: resolved)
            return missing.reduce(folder == "/" ? "" : folder) { $0 + "/" + $1 }
        }
        let name = known.lastIndex(of: "/").map { known[known.index(after: $0)...] } ?? known
        if !name.isEmpty { missing.insert(name, at: 0) }
        known = known.dropLast(name.count + 1)
    }
    return missing.reduce("") { $0 + "/" + $1 }
}
