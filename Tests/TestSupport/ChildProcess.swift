import Glibc
import Platform

/// A real program that a test runs: its output is collected, and tests wait for it without polling.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum Status: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// What a process has written, and how it ended.
    package struct Result: Sendable, CustomStringConvertible {
        package fileprivate(set) var output: [UInt8] = []
        package fileprivate(set) var errors: [UInt8] = []
        /// Whether there was more output than was to be kept.
        package fileprivate(set) var isTruncated = false
        /// `nil` while it runs.
        package fileprivate(set) var status: Status?

        package var outputText: String { String(decoding: output, as: UTF8.self) }
        package var errorText: String { String(decoding: errors, as: UTF8.self) }

        package var description: String {
            let status = status.map { "\($0)" } ?? "still running"
            return "\(status), stdout: \(tail(of: output)), stderr: \(tail(of: errors))"
        }
    }

    /// The number that the first of the inherited descriptors gets.
    package static let firstInherited: Int32 = 3

    package let processID: pid_t
    private let name: String
    private let lastSignal: Int32
    private let result = Watched(Result())

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: a path, or a name that `Tool` looks up.
    ///   - environment: `nil` inherits the test's own.
    ///   - directory: the working directory; `nil` inherits the test's own.
    ///   - input: what it reads from its standard input, which then ends.
    ///   - inherited: descriptors it gets as `firstInherited` and up.
    ///   - lastSignal: what it gets when nobody holds it any more.
    ///   - outputLimitBytes: how much to keep of each output; the rest is read and dropped.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, directory: String? = nil,
        input: [UInt8] = [], inherited: [Int32] = [], lastSignal: Int32 = SIGKILL, outputLimitBytes: Int = 16 << 20
    ) throws {
        name = program
        self.lastSignal = lastSignal
        var command = [program.contains("/") ? program : try Tool.path(program)] + arguments
        if let directory { command = [try Tool.path("env"), "--chdir=\(directory)"] + command }
        let environment = environment ?? Self.inheritedEnvironment
        let (processID, pipes) = try spawnLock.hold {
            let pipes = try Pipes()
            let process = try ProcessStart.spawn(
                command, environment: environment.map { Array("\($0.key)=\($0.value)".utf8) },
                descriptors: pipes.childEnds + inherited)
            return (process, pipes)
        }
        self.processID = processID
        try collect(pipes, input, outputLimitBytes)
    }

    deinit { kill(lastSignal) }

    /// Runs a program to its end.
    ///
    /// - Parameter limit: a safety net: after this time it is killed.
    /// - Throws: `WaitTimedOut` then, with what it had written.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, directory: String? = nil,
        input: [UInt8] = [], within limit: Duration = .seconds(60)
    ) async throws -> Result {
        let child = try ChildProcess(
            program, arguments, environment: environment, directory: directory, input: input)
        return try await child.waitForExit(within: limit)
    }

    /// What it has written so far, and its end if that has come.
    package var soFar: Result { result.now }

    /// Sends a signal, unless the process has ended.
    package func kill(_ signal: Int32) {
        // Under the lock that reaping takes, so that the number can't have become another process's.
        result.update { result in
            if result.status == nil { _ = Glibc.kill(processID, signal) }
        }
    }

    @discardableResult
    package func waitForExit(within limit: Duration = .seconds(60)) async throws -> Result {
        try await wait(for: "the end", within: limit) { $0.status == nil ? nil : $0 }
    }

    /// Waits until `predicate` finds what it looks for in what was written.
    ///
    /// - Throws: `WaitTimedOut`; `EndedEarly` if the process ends without that.
    package func wait<Found: Sendable>(
        for what: String, within limit: Duration = .seconds(90), until predicate: @escaping @Sendable (Result) -> Found?
    ) async throws -> Found {
        let what = "\(what) of \(name)"
        let end: Swift.Result<Found, EndedEarly> = try await result.wait(for: what, within: limit) { result in
            if let found = predicate(result) { return .success(found) }
            return result.status == nil ? nil : .failure(EndedEarly(what: what, result: result))
        }
        return try end.get()
    }

    /// A process ended before it did what a test waited for.
    package struct EndedEarly: Error, CustomStringConvertible {
        package let what: String
        package let result: Result

        package var description: String { "waited for \(what), but it ended: \(result)" }
    }

    /// The environment of the tests themselves.
    package static var inheritedEnvironment: [String: String] {
        var environment: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return environment
    }

    // MARK: Collecting

    /// Two threads a process: one blocks until its end, the other moves bytes until then.
    private func collect(_ pipes: Pipes, _ input: [UInt8], _ limitBytes: Int) throws {
        let ended = try Gate()
        let (processID, result) = (processID, result)
        try startThread {
            var information = siginfo_t()
            // The process stays a zombie, whose number nobody else can get, until it is reaped under the lock.
            while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            ended.open()
        }
        try startThread {
            pipes.move(input: input, until: ended) { stream, bytes in
                result.update { $0.append(bytes, to: stream, limitBytes: limitBytes) }
            }
            result.update { $0.status = reap(processID) }
        }
    }
}

/// The end of some output, for people.
private func tail(of output: [UInt8]) -> String {
    let text = String(decoding: output.suffix(2000), as: UTF8.self).map { $0.isASCII || $0.isLetter ? $0 : "?" }
    return "\(output.count) bytes \(String(text).debugDescription)"
}

extension ChildProcess.Result {
    fileprivate mutating func append(_ bytes: [UInt8], to stream: Pipes.Stream, limitBytes: Int) {
        let kept = stream == .output ? output.count : errors.count
        let part = bytes.prefix(max(0, limitBytes - kept))
        if part.count < bytes.count { isTruncated = true }
        switch stream {
        case .output: output += part
        case .errors: errors += part
        }
    }
}

private func reap(_ processID: pid_t) -> ChildProcess.Status {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
}
