import TestSupport
import Testing

/// A program on tmux's terminal: what stands on its screen can be asked for, keys can be pressed, and its size changed.
struct TmuxTerminal {
    private let socket: String
    /// Everything that was sent to the terminal; it tells when it is worth a look.
    private let output: ChildProcess

    /// Lets `body` use a terminal on which a program runs.
    static func run<Result>(
        _ command: [String], columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
        directory: String? = nil, _ body: (TmuxTerminal) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryDirectory()
        let (socket, pipe) = (folder["socket"], folder["sent"])
        _ = try Self.check(try await ChildProcess.run("mkfifo", [pipe]))
        let output = try ChildProcess("cat", [pipe])
        let terminal = TmuxTerminal(socket: socket, output: output)
        // It begins with what is typed, so that none of its output is missed.
        let start = "stty -echo; read -r line; stty echo; printf '\\033[H\\033[2J'; exec env \"$@\""
        let variables = environment.map { "\($0.key)=\($0.value)" }
        try await terminal.tmux(
            ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-c", directory ?? folder.path]
                + ["--", "sh", "-c", start, "sh"] + variables + command)
        do {
            try await terminal.tmux(["set-option", "-g", "status", "off"])
            try await terminal.tmux(["set-option", "-g", "remain-on-exit", "on"])
            try await terminal.tmux(["set-option", "-g", "remain-on-exit-format", ""])
            try await terminal.tmux(["pipe-pane", "exec cat >'\(pipe)'"])
            try await terminal.press("Enter")
            let result = try await body(terminal)
            try await terminal.tmux(["kill-server"])
            return result
        } catch {
            _ = try? await terminal.tmux(["kill-server"])
            throw error
        }
    }

    /// The lines on the screen, without empty ones at the end.
    func screen() async throws -> [String] {
        var lines = try await tmux(["capture-pane", "-p"]).outputText.split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Waits until the screen is as a test expects it.
    @discardableResult
    func wait(for what: String, until predicate: ([String]) -> Bool) async throws -> [String] {
        // A display that is redrawn always has something new to look at.
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let count = output.soFar.output.count
            let lines = try await screen()
            if predicate(lines) { return lines }
            guard ContinuousClock.now < deadline else {
                throw WaitTimedOut(what: what, limit: Self.patience, seen: lines.joined(separator: "\n"))
            }
            _ = try? await output.wait(for: what, within: deadline - .now) { $0.output.count > count ? true : nil }
        }
    }

    private static let patience = Duration.seconds(20)

    /// Presses keys, by tmux's names.
    func press(_ keys: String...) async throws { try await tmux(["send-keys"] + keys) }

    func type(_ text: String) async throws { try await tmux(["send-keys", "-l", text]) }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> ChildProcess.Result {
        var environment = ChildProcess.inheritedEnvironment
        environment["TMUX"] = nil
        environment["LC_ALL"] = "C.UTF-8"
        return try Self.check(
            try await ChildProcess.run(
                "tmux", ["-u", "-f", "/dev/null", "-S", socket] + arguments, environment: environment))
    }

    private static func check(_ result: ChildProcess.Result) throws -> ChildProcess.Result {
        try #require(result.status == .exited(0), "\(result)")
        return result
    }
}
