import Glibc

/// A folder of the process's own in the system's place for temporary files (`TMPDIR`, else `/tmp`). It is locked as long as it is in use.
package struct TemporaryFolder: Sendable {
    package let directory: Directory
    private let path: String

    /// No name that somebody else may give a folder there: what is called so and isn't locked is removed.
    private static let prefix = "larder-scratch-"
    private static let suffix = "XXXXXX"

    /// Makes the folder, for this user alone.
    package init() throws(SystemError) {
        // In the moment before it is locked it may be taken for an abandoned one.
        for _ in 0..<10 {
            if let (directory, path) = try Self.make() {
                (self.directory, self.path) = (directory, path)
                return
            }
        }
        throw SystemError(
            code: EAGAIN, operation: "create a temporary folder in", subject: escapedText(Self.parentPath))
    }

    /// - Returns: nil where somebody has removed it meanwhile.
    private static func make() throws(SystemError) -> (Directory, String)? {
        var template = Array("\(parentPath)/\(prefix)\(suffix)".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .last("create a temporary folder in", escapedText(parentPath))
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(SystemError) {
            let directory = try Directory.open(path)
            // A file system that knows no locks has nothing abandoned removed either.
            if (try? directory.descriptor.lock(exclusive: true)) == false { return nil }
            return try directory.descriptor.status().linkCount > 0 ? (directory, path) : nil
        } catch {
            guard error.isNotFound else {
                rmdir(path)
                throw error
            }
            return nil
        }
    }

    /// Where such folders are, for messages.
    package static var shownPlace: String { escapedText(parentPath) }

    private static var parentPath: String {
        let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return wanted.isEmpty ? "/tmp" : wanted
    }

    /// Removes the folder and what is in it, as far as that can be done.
    package func remove() {
        guard let names = try? directory.names() else { return }
        for name in names { _ = try? directory.removeTree(name) }
        rmdir(path)
    }

    /// Removes the folders of this user's processes that were killed: nobody holds their locks.
    package static func removeAbandoned() {
        guard let parent = try? Directory.open(parentPath), let names = try? parent.names() else { return }
        let length = prefix.utf8.count + suffix.utf8.count
        for name in names where name.bytes.count == length && name.bytes.starts(with: prefix.utf8) {
            guard let folder = try? parent.subdirectory(name), (try? folder.descriptor.status())?.userID == geteuid(),
                (try? folder.descriptor.lock(exclusive: true)) == true
            else { continue }
            _ = try? parent.removeTree(name)
        }
    }

    /// A file that nobody else can name, and that is gone with its last descriptor, however the process ends.
    package static func unnamedFile() throws(SystemError) -> OwnedDescriptor {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try folder.directory.open("file", flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    }
}
