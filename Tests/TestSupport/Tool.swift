import Glibc

/// The real programs that tests run. A missing one fails the test that needs it: a skipped test proves nothing.
package enum Tool {
    /// The path of a program in `PATH`, or where Debian keeps what only administrators use to run.
    ///
    /// - Throws: `MissingTool`, whose text is the failure's message.
    package static func path(_ name: String) throws(MissingTool) -> String {
        try find(name, in: [])
    }

    /// The path of a program of a Python package: where `.ci/install` puts these, or in `PATH`.
    ///
    /// - Throws: `MissingTool`, as for any other.
    package static func python(_ name: String) throws(MissingTool) -> String {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try find(name, in: [root + "/.build/python/bin"])
    }

    private static func find(_ name: String, in first: [String]) throws(MissingTool) -> String {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let directories =
            first + path.split(separator: ":").map(String.init) + [
                "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin",
            ]
        let candidates = directories.map { "\($0)/\(name)" }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else { throw MissingTool(name: name) }
        return found
    }
}

package struct MissingTool: Error, CustomStringConvertible {
    package let name: String

    package var description: String {
        "this test runs the real '\(name)', which isn't installed: '.ci/install test' installs it, or add its directory to PATH"
    }
}
