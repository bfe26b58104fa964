import BundleManifest
import ContentLibrary
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
        let place = try place(of: location)
        guard try place.directory.readFile(place.name, limitBytes: Int(place.status.sizeBytes)) == known else {
            throw failure(location, EBUSY, "which has changed since it was read")
        }
        let status = place.status
        try place.directory.replaceFile(
            place.name, with: bytes, mode: status.mode & 0o777, owner: (status.userID, status.groupID), flush: true)
    }

    /// Where a manifest lies.
    struct Place {
        let directory: Directory
        let name: RelativePath
        let status: FileStatus
    }

    /// - Parameter instead: what helps where the file must stay as it is.
    /// - Throws: where the manifest can't be replaced, or mustn't be.
    static func place(
        of location: ManifestLocation, insteadOfChanging instead: String = "--diff shows the changes"
    ) throws(SystemError) -> Place {
        guard case .file(let path) = location, let resolved = realpath(path, nil) else {
            throw failure(location, EINVAL, "which is no file")
        }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let nameStart =
            target.utf8.lastIndex(of: UInt8(ascii: "/")).map { target.utf8.index(after: $0) }
            ?? target.startIndex
        let directory = try Directory.open(String(target[..<nameStart]))
        guard let name = try? RelativePath(Array(target[nameStart...].utf8)),
            let status = try directory.status(of: name), status.kind == .file
        else { throw failure(location, EINVAL, "which is no regular file") }
        guard Library.around(target) == nil else {
            throw failure(
                location, EPERM, "which is published, and stays as it is; change the manifest that it came from")
        }
        // To replace a file, only its folder must be writable; who protects a file means the file.
        guard status.mode & 0o222 != 0, try isWritable(name, in: directory) else {
            throw failure(location, EACCES, "which is write-protected; chmod u+w lets it be changed, and \(instead)")
        }
        guard [0, status.userID].contains(geteuid()) else {
            throw failure(location, EPERM, "which is another user's, and would become yours; \(instead)")
        }
        return Place(directory: directory, name: name, status: status)
    }

    private static func failure(_ location: ManifestLocation, _ code: Int32, _ why: String) -> SystemError {
        SystemError(code: code, operation: "replace", subject: "\(location), \(why)")
    }

    /// What is told of the signature beside a manifest that was written anew; nil where there is none.
    static func staleSignature(of location: ManifestLocation) -> String? {
        guard case .file(let path) = location else { return nil }
        let signature = MinisignSignature.place(of: path)
        guard access(signature, F_OK) == 0 else { return nil }
        return
            "\(escapedText(signature)) is of what the manifest was: sign it again, with larder manifest sign \(location)"
    }

    private static func isWritable(_ name: RelativePath, in directory: Directory) throws(SystemError) -> Bool {
        do throws(SystemError) { _ = try directory.open(name, flags: O_WRONLY) } catch {
            guard error.code == EACCES else { throw error }
            return false
        }
        return true
    }
}
