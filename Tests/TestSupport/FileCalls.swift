import Glibc

/// A watch on the calls by which a program changes files beneath a directory: `Tests/FileCalls/filecalls.c` is preloaded into it.
package struct FileCalls {
    /// Before which call something happens.
    package enum Moment: Sendable {
        /// That of this number, from 1.
        case call(Int)
        /// The first of this kind (`create`, `write`, `rename`, …) on a path that has this in it; of renames the new one.
        case first(String, on: String)
    }

    /// What happens then.
    package enum Event: Sendable {
        case kill
        /// The program stands still until it gets SIGCONT.
        case stop
        /// The call fails, and with `persistently` all after it.
        case fail(Int32, persistently: Bool)
    }

    /// Absolute, and no link.
    private let directory: String
    private let library: String

    /// - Throws: when the library to preload can't be built.
    package init(beneath directory: String) async throws {
        self.directory = directory
        library = try await Self.built.value
    }

    /// The environment of a program to be watched.
    /// - Parameters:
    ///   - log: where to write all calls, for ``RecordedCall``.
    ///   - isPlain: whether the file system has neither files without names nor renames that replace nothing, as NFS.
    ///   - boot: a file with the id of the boot that the program takes this for.
    package func environment(
        _ event: Event? = nil, at moment: Moment? = nil, log: String? = nil, boot: String? = nil,
        isPlain: Bool = false
    ) -> [String: String] {
        var environment = ChildProcess.inheritedEnvironment
        environment["LD_PRELOAD"] = library
        environment["FILECALLS_ROOT"] = directory
        environment["FILECALLS_LOG"] = log
        environment["FILECALLS_BOOT"] = boot
        environment["FILECALLS_PLAIN"] = isPlain ? "1" : nil
        environment["FILECALLS_AT"] = moment?.text
        environment["FILECALLS_DO"] = event?.text
        return environment
    }

    /// Built once a test run, with the compiler that Swift brings.
    private static let built = Task {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder = try TemporaryDirectory(in: "\(root)/.build")
        let arguments = ["-Wall", "-Werror", "-O1", "-shared", "-fPIC", "\(root)/Tests/FileCalls/filecalls.c", "-ldl"]
        let result = try await ChildProcess.run("clang", arguments + ["-o", folder["library"]])
        guard result.status == .exited(0) else { throw BuildFailed(result: result) }
        // In one step: another test run may be using it.
        let path = "\(root)/.build/filecalls.so"
        try check(rename(folder["library"], path), "rename to \(path)")
        return path
    }

    private struct BuildFailed: Error, CustomStringConvertible {
        let result: ChildProcess.Result
        var description: String { "Tests/FileCalls/filecalls.c can't be built: \(result)" }
    }
}

extension FileCalls.Moment {
    fileprivate var text: String {
        switch self {
        case .call(let number): "\(number)"
        case .first(let operation, let path): "\(operation) \(path)"
        }
    }
}

extension FileCalls.Event {
    fileprivate var text: String {
        switch self {
        case .kill: "kill"
        case .stop: "stop"
        case .fail(let code, let persistently): "\(persistently ? "fail-on" : "fail") \(code)"
        }
    }
}
