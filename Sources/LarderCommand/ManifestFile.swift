import Glibc
import Jobs
import Platform

/// A manifest on the disk that is written anew.
enum ManifestFile {
    /// Puts `bytes` in the place of the file in one step, with the permissions and the owner it has. Behind a symbolic link the file it leads
    /// to is replaced, and the link stays.
    /// - Parameter known: what the file held when it was read: an edit made since then isn't lost.
    /// - Throws: when the manifest is no regular file, is protected against writing, holds something else by now, or can't be replaced.
    static func replace(
        _ location: ManifestLocation, holding known: [UInt8], with bytes: [UInt8]
    ) throws(SystemError) {
        func failure(_ code: Int32, _ why: String) -> SystemError {
            SystemError(code: code, operation: "replace", subject: "\(location), \(why)")
        }
        guard case .file(let path) = location, let resolved = realpath(path, nil) else {
            throw failure(EINVAL, "which is no file")
        }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let nameStart =
            target.utf8.lastIndex(of: UInt8(ascii: "/")).map { target.utf8.index(after: $0) }
            ?? target.startIndex
        let directory = try Directory.open(String(target[..<nameStart]))
        guard let name = try? RelativePath(Array(target[nameStart...].utf8)),
            let status = try directory.status(of: name), status.kind == .file
        else { throw failure(EINVAL, "which is no regular file") }
        // To replace a file, only its folder must be writable; who protects a file means the file.
        guard status.mode & 0o222 != 0, try isWritable(name, in: directory) else {
            throw failure(
                EACCES, "which is write-protected; chmod u+w lets --fix change it, and --diff shows the fixes")
        }
        guard [0, status.userID].contains(geteuid()) else {
            throw failure(EPERM, "which is another user's, and would become yours; --diff shows the fixes")
        }
        guard try directory.readFile(name, limitBytes: Int(status.sizeBytes)) == known else {
            throw failure(EBUSY, "which has changed since it was read")
        }
        try directory.replaceFile(
            name, with: bytes, mode: status.mode & 0o777, owner: (status.userID, status.groupID), flush: true)
    }

    private static func isWritable(_ name: RelativePath, in directory: Directory) throws(SystemError) -> Bool {
        do throws(SystemError) { _ = try directory.open(name, flags: O_WRONLY) } catch {
            guard error.code == EACCES else { throw error }
            return false
        }
        return true
    }
}
