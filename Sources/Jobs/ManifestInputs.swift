import Glibc
import JSONSyntax
import Platform
import Transfer

/// Which manifests somebody means who names files, folders, patterns, URLs or `-`.
package enum ManifestInputs {
    /// - Parameter argument: a folder stands for every `*.json` beneath it, in the order of their paths, but for what is hidden, behind
    ///   links, or a JSON Schema; a pattern that names no file for those that match it, as a shell would have expanded it.
    /// - Parameter tell: told of each folder beneath a named one that can't be looked into, and of each file that can't be named; the others
    ///   are returned.
    /// - Returns: at least one, unless something was told.
    /// - Throws: `TransferURLError` for a URL that is none; `UnreadableInput` for a folder or pattern that stands for no manifest.
    package static func locations(
        _ argument: String, base: TransferURL?, unreadable tell: (String) -> Void
    ) throws -> [ManifestLocation] {
        let location = try ManifestLocation(argument, base: base)
        guard case .file(let path) = location else { return [location] }
        var status = stat()
        if stat(path, &status) == 0 { return try named(path, status, unreadable: tell) }
        guard path.utf8.contains(where: "*?[".utf8.contains) else { return [location] }
        var isTold = false
        let found = expanded(path) { line in
            isTold = true
            tell(line)
        }
        guard !found.isEmpty || isTold else { throw UnreadableInput("\(location): no file matches this pattern") }
        return found
    }

    /// What a pattern stands for: each file and folder that matches, as if it had been named.
    private static func expanded(_ pattern: String, unreadable tell: (String) -> Void) -> [ManifestLocation] {
        matches(of: pattern, unreadable: tell).flatMap { match -> [ManifestLocation] in
            var status = stat()
            // Nobody meant a pipe or a device by a pattern, and reading one may wait for ever.
            guard stat(match, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return [] }
            do { return try named(match, status, unreadable: tell) } catch {
                tell("\(error)")
                return []
            }
        }
    }

    /// What exists under this name: a file, which may be a pipe, or a folder.
    private static func named(
        _ path: String, _ status: stat, unreadable tell: (String) -> Void
    ) throws -> [ManifestLocation] {
        let location = ManifestLocation.file(path: path)
        guard status.st_mode & S_IFMT == S_IFDIR else { return [location] }
        var isComplete = true
        let found = manifests(beneath: path) { line in
            isComplete = false
            tell(line)
        }
        guard !found.isEmpty || !isComplete else {
            throw UnreadableInput("\(location): there is no *.json in this folder")
        }
        return found.map(ManifestLocation.file)
    }

    private static func manifests(beneath folder: String, unreadable tell: (String) -> Void) -> [String] {
        var found: [String] = []
        do throws(SystemError) {
            let directory = try Directory.open(folder)
            for name in try directory.names() where name.bytes.first != UInt8(ascii: ".") {
                guard let kind = try directory.status(of: name)?.kind else { continue }
                let isManifest = kind == .file && name.bytes.suffix(5).elementsEqual(".json".utf8)
                guard kind == .directory || isManifest else { continue }
                guard let path = path(folder, name.bytes, unreadable: tell) else { continue }
                if isManifest {
                    if !isSchema(path) { found.append(path) }
                } else {
                    found += manifests(beneath: path, unreadable: tell)
                }
            }
        } catch {
            tell("\(error)")
        }
        return found.sorted()
    }

    /// Whether a file names the schema that it follows, or is one itself, and isn't of our format. What can't be read is no schema: as a
    /// manifest its trouble is told.
    private static func isSchema(_ path: String) -> Bool {
        let mostBytes = 1 << 20
        guard let file = try? OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK),
            let bytes = try? file.readAll(limitBytes: mostBytes), bytes.mayNameSchema,
            let root = (try? JSONDocument(bytes, name: path))?.root
        else { return false }
        return root["$schema"] != nil && root["format"] == nil
    }

    /// - Returns: nil for a name that isn't UTF-8, which is told: a manifest's place ends up in JSON and in URLs.
    private static func path(_ folder: String, _ name: some Collection<UInt8>, unreadable tell: (String) -> Void)
        -> String?
    {
        let start = folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
        guard let text = String(validating: name, as: UTF8.self) else {
            tell("\(escapedText(start))\(escapedText(name)): this name is not UTF-8; rename it")
            return nil
        }
        return start + text
    }

    private static func matches(of pattern: String, unreadable tell: (String) -> Void) -> [String] {
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(pattern, 0, nil, &result) == 0 else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { index in
            guard let match = result.gl_pathv[index] else { return nil }
            let bytes = UnsafeRawBufferPointer(start: match, count: strlen(match))
            return path("", Array(bytes), unreadable: tell)
        }
    }
}

extension [UInt8] {
    /// Whether a key or a string begins with the dollar of `$schema`: hardly a manifest has one, and then its JSON needn't be read here.
    fileprivate var mayNameSchema: Bool {
        let key = Array("\"$schema\"".utf8)
        return indices.contains { self[$0] == UInt8(ascii: "$") && $0 > 0 && self[($0 - 1)...].starts(with: key) }
    }
}

/// What was named can't be read.
package struct UnreadableInput: Error, CustomStringConvertible {
    /// One line with the name.
    package let description: String

    init(_ description: String) { self.description = description }
}
