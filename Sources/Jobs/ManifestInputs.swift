import Glibc
import Platform
import Transfer

/// Which manifests somebody means who names files, folders, patterns, URLs or `-`.
package enum ManifestInputs {
    /// - Parameter argument: a folder stands for every `*.json` beneath it, in the order of their paths, but for what is hidden and behind
    ///   links; a pattern that names no file for those that match it, as a shell would have expanded it.
    /// - Parameter tell: told of each folder beneath a named one that can't be looked into; the others are.
    /// - Returns: at least one, unless something was told.
    /// - Throws: `TransferURLError` for a URL that is none; `UnreadableInput` for a folder or pattern that stands for no manifest.
    package static func locations(
        _ argument: String, base: TransferURL?, unreadable tell: (String) -> Void
    ) throws -> [ManifestLocation] {
        let location = try ManifestLocation(argument, base: base)
        guard case .file(let path) = location else { return [location] }
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { return [location] }
            var isComplete = true
            let found = manifests(beneath: path) { error in
                isComplete = false
                tell("\(error)")
            }
            guard !found.isEmpty || !isComplete else {
                throw UnreadableInput("\(location): there is no *.json in this folder")
            }
            return found.map(ManifestLocation.file)
        }
        guard path.utf8.contains(where: "*?[".utf8.contains) else { return [location] }
        let matches = matches(of: path)
        guard !matches.isEmpty else { throw UnreadableInput("\(location): no file matches this pattern") }
        return matches.map(ManifestLocation.file)
    }

    private static func manifests(beneath folder: String, unreadable tell: (SystemError) -> Void) -> [String] {
        var found: [String] = []
        do throws(SystemError) {
            let directory = try Directory.open(folder)
            for name in try directory.names() {
                let text = String(decoding: name.bytes, as: UTF8.self)
                guard !text.hasPrefix("."), let kind = try directory.status(of: name)?.kind else { continue }
                let path = folder.hasSuffix("/") ? folder + text : folder + "/" + text
                switch kind {
                case .directory: found += manifests(beneath: path, unreadable: tell)
                case .file where text.hasSuffix(".json"): found.append(path)
                case .file, .symbolicLink, .other: continue
                }
            }
        } catch {
            tell(error)
        }
        return found.sorted()
    }

    private static func matches(of pattern: String) -> [String] {
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(pattern, 0, nil, &result) == 0 else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { result.gl_pathv[$0].map { String(cString: $0) } }
    }
}

/// What was named can't be read.
package struct UnreadableInput: Error, CustomStringConvertible {
    /// One line with the name.
    package let description: String

    init(_ description: String) { self.description = description }
}
