import Glibc

/// Files by the names that users gave them.
extension Directory {
    /// The folder of a path, and what the file is called there.
    /// - Throws: `SystemError`, for a path that names no file, too.
    package static func openParent(of path: String) throws -> (directory: Directory, name: RelativePath) {
        let bytes = Array(path.utf8)
        let slash = UInt8(ascii: "/")
        let nameStart = bytes.lastIndex(of: slash).map { $0 + 1 } ?? 0
        let name: RelativePath
        do throws(PathProblem) { name = try RelativePath(Array(bytes[nameStart...])) } catch {
            let code = [.componentTooLong, .tooLong].contains(error) ? ENAMETOOLONG : EISDIR
            throw SystemError(code: code, operation: "take for a file", subject: "'\(escapedText(path))'")
        }
        // Without the slashes behind it, which would stand in messages.
        let folder = bytes[..<nameStart].reversed().drop { $0 == slash }.reversed()
        if folder.isEmpty { return (try open(nameStart == 0 ? "." : "/"), name) }
        return (try open(String(decoding: folder, as: UTF8.self)), name)
    }

    /// Where `replaceFile` would put a file: the folder, the name in it, and the file that is there so far.
    package static func placeForFile(
        named path: String
    ) throws -> (directory: Directory, name: RelativePath, replaced: FileStatus?) {
        let (directory, name) = try openParent(of: path)
        let replaced = try directory.status(of: name)
        guard replaced.map({ $0.kind == .file }) ?? true else {
            throw SystemError(code: EEXIST, operation: "replace what is no file", subject: escapedText(path))
        }
        return (directory, name, replaced)
    }

    /// Puts `bytes` where a user named a file, in one step; a file that is there hands on its owner and permissions. What is there and is no file
    /// stays: a device, of which root would rob the machine, a folder, a link to somewhere else.
    package static func replaceFile(named path: String, with bytes: [UInt8]) throws {
        let (directory, name, replaced) = try placeForFile(named: path)
        try directory.replaceFile(
            name, with: bytes, mode: replaced.map { $0.mode & 0o777 } ?? 0o644,
            owner: replaced.map { ($0.userID, $0.groupID) }, flush: false)
    }
}
