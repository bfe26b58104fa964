import Glibc
import Jobs
import Platform

/// A manifest on the disk that is written anew.
enum ManifestFile {
    /// Puts `bytes` in the place of the file in one step, with the permissions it has. Behind a symbolic link the file it leads to is
    /// replaced, and the link stays.
    /// - Throws: when the manifest is no file, or can't be replaced.
    static func replace(_ location: ManifestLocation, with bytes: [UInt8]) throws(SystemError) {
        guard case .file(let path) = location, let resolved = realpath(path, nil) else {
            throw SystemError(code: EINVAL, operation: "replace", subject: "\(location), which is no file")
        }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let nameStart =
            target.utf8.lastIndex(of: UInt8(ascii: "/")).map { target.utf8.index(after: $0) }
            ?? target.startIndex
        let directory = try Directory.open(String(target[..<nameStart]))
        guard let name = try? RelativePath(Array(target[nameStart...].utf8)),
            let status = try directory.status(of: name)
        else { throw SystemError(code: ENOENT, operation: "replace", subject: "\(location)") }
        try directory.replaceFile(name, with: bytes, mode: status.mode & 0o777, flush: true)
    }
}
