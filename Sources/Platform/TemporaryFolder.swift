import Glibc

/// A folder of the process's own in the system's place for temporary files (`TMPDIR`, else `/tmp`).
package struct TemporaryFolder: Sendable {
    package let directory: Directory
    private let path: String

    /// Makes the folder, for this user alone.
    package init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        var template = Array(((parent.isEmpty ? "/tmp" : parent) + "/larder-XXXXXX").utf8CString)
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
}
