import Glibc

/// A folder of the process's own in the system's place for temporary files (`TMPDIR`, else `/tmp`).
package struct TemporaryFolder: Sendable {
    package let directory: Directory
    private let path: String

    /// Makes the folder, for this user alone.
    package init() throws(SystemError) {
        let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let parent = wanted.isEmpty ? "/tmp" : wanted
        var template = Array((parent + "/larder-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .last("create a temporary folder in", escapedText(parent)) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        directory = try Directory.open(path)
    }

    /// Removes the folder and what is in it, as far as that can be done.
    package func remove() {
        guard let names = try? directory.names() else { return }
        for name in names { _ = try? directory.removeTree(name) }
        rmdir(path)
    }

    /// A file that nobody else can name, and that is gone with its last descriptor, however the process ends.
    package static func unnamedFile() throws(SystemError) -> OwnedDescriptor {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try folder.directory.open("file", flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    }
}
