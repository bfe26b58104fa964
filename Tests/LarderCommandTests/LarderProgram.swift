import Glibc
import JSONSyntax
import TestSupport

/// The program itself, as its users start it.
enum LarderProgram {
    /// Where the package manager puts it: beside the tests; or another build of it, `LARDER_PROGRAM`.
    static var path: String {
        get throws {
            if let other = getenv("LARDER_PROGRAM") { return String(cString: other) }
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = try check(readlink("/proc/self/exe", &buffer, buffer.count), "readlink /proc/self/exe")
            let tests = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
            return tests.prefix(upTo: tests.lastIndex(of: "/") ?? tests.startIndex) + "/larder"
        }
    }

    static func start(_ arguments: [String], environment: [String: String]? = nil) throws -> ChildProcess {
        try ChildProcess(path, arguments, environment: environment)
    }

    /// Runs it to its end.
    static func run(
        _ arguments: [String], environment: [String: String]? = nil, directory: String? = nil, input: [UInt8] = [],
        within limit: Duration = .seconds(120)
    ) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            path, arguments, environment: environment, directory: directory, input: input, within: limit)
    }
}

extension ChildProcess {
    /// Ends the program (SIGTERM) as soon as a shell's condition holds. What holds for a moment only is watched for by a process of its own: a test waits
    /// for its turn.
    func terminate(once condition: String) async throws {
        let script = "until \(condition); do :; done; kill -TERM \(processID)"
        let watch = try await ChildProcess.run("timeout", ["30", "sh", "-c", script])
        guard watch.status == .exited(0) else {
            throw WaitTimedOut(what: condition, limit: .seconds(30), seen: "\(watch)")
        }
    }
}

/// A line that `--json` wrote.
struct ProgramEvent {
    let value: JSONValue

    var name: String? { value["event"]?.string }
    var bundle: String? { value["bundle"]?.string }

    /// A number of the event, by its key.
    subscript(key: String) -> Int? { value[key]?.integer }
}

extension ChildProcess.Result {
    /// The events so far, without the line that isn't complete yet.
    var events: [ProgramEvent] {
        let lines = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        return lines.compactMap { line in
            (try? JSONDocument(Array(line), name: "event")).map { ProgramEvent(value: $0.root) }
        }
    }
}
