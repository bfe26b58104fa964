import Glibc

/// A directory of a test's own, removed with everything in it when the test lets go of it.
package final class TemporaryDirectory: Sendable {
    /// Absolute, without a slash at the end.
    package let path: String

    /// - Parameter parent: by default the environment's `TMPDIR`, or else `/tmp`.
    package init(in parent: String? = nil) throws(SystemError) {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/larder-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp in \(parent)") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { removeTree(path) }

    /// The path of something in it.
    package subscript(relative: String) -> String { "\(path)/\(relative)" }

    /// Writes a file, and makes the directories above it.
    ///
    /// - Returns: the file's path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to relative: String, mode: mode_t = 0o644) throws(SystemError)
        -> String
    {
        if let slash = relative.lastIndex(of: "/") { try makeDirectory(String(relative[..<slash])) }
        try writeFile(Array(bytes), to: self[relative], mode: mode)
        return self[relative]
    }

    /// Makes a directory, and those above it.
    ///
    /// - Returns: its path.
    @discardableResult
    package func makeDirectory(_ relative: String) throws(SystemError) -> String {
        var made = path
        for component in relative.split(separator: "/") {
            made += "/\(component)"
            if mkdir(made, 0o755) != 0, errno != EEXIST { throw SystemError("mkdir \(made)") }
        }
        return made
    }

    package func read(_ relative: String) throws(SystemError) -> [UInt8] { try readFile(self[relative]) }
}
