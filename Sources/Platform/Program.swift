import CLinux
import Glibc

/// Another program that was started: it gets no descriptor of ours but the three standard ones, no blocked signal, and none ignored.
package struct Program: Sendable {
    private let process: pid_t

    /// What becomes of what it writes.
    package enum Output: Sendable {
        case discarded
        /// Both of its outputs go where our errors go.
        case toStandardError
    }

    /// Starts a program; nil where that can't be.
    /// - Parameters:
    ///   - command: a path, or a name that is looked up in `PATH`, and its arguments.
    ///   - input: its standard input; nil: there is nothing in it.
    ///   - variables: put over our own environment.
    ///   - hasOwnGroup: whether signals of our terminal spare it.
    package init?(
        _ command: [String], input: OwnedDescriptor? = nil, output: Output = .discarded,
        variables: [String: String] = [:], hasOwnGroup: Bool = false
    ) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input.rawValue, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        switch output {
        case .discarded:
            for stream in [STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
            }
        case .toStandardError: posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        }
        // Not all of the libraries' descriptors close by themselves.
        larder_spawn_closing_from(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var process: pid_t = 0
        let code = withCStrings(command) { arguments in
            withCStrings(Self.environment(with: variables)) { environment in
                posix_spawnp(&process, command[0], &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { return nil }
        self.process = process
    }

    private static func environment(with variables: [String: String]) -> [String] {
        var entries: [String] = []
        var entry = larder_environment()
        while let text = entry?.pointee.map({ String(cString: $0) }) {
            if variables[String(text.prefix { $0 != "=" })] == nil { entries.append(text) }
            entry = entry?.advanced(by: 1)
        }
        return entries + variables.map { "\($0)=\($1)" }.sorted()
    }

    /// How a program ended.
    package enum End: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// Waits for its end, for so long at most; then, or when `shouldStop` says so, it is ended, with all that it started in its group. Blocks; to
    /// be called once, on a program with a group of its own.
    /// - Returns: nil where it had to be ended.
    package func wait(atMost limit: Duration, unless shouldStop: () -> Bool) -> End? {
        let deadline = ContinuousClock.now + limit
        guard let descriptor = openProcess() else { return wait() }
        while !hasEnded(descriptor, withinMilliseconds: Self.lookIntervalMilliseconds) {
            guard shouldStop() || ContinuousClock.now >= deadline else { continue }
            kill(-process, SIGTERM)
            _ = hasEnded(descriptor, withinMilliseconds: Self.patienceMilliseconds)
            // What it started may have stayed, whether it has ended itself or not.
            kill(-process, SIGKILL)
            _ = wait()
            return nil
        }
        return wait()
    }

    /// How often somebody who waits looks whether to go on.
    private static let lookIntervalMilliseconds: Int32 = 200
    /// How long a program that is to end may take to clear up.
    private static let patienceMilliseconds: Int32 = 2_000

    /// Nil on kernels before 5.3.
    private func openProcess() -> OwnedDescriptor? {
        let descriptor = larder_open_process(process)
        return descriptor < 0 ? nil : OwnedDescriptor(adopting: descriptor, name: "a program")
    }

    private func hasEnded(_ descriptor: OwnedDescriptor, withinMilliseconds time: Int32) -> Bool {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return retryingInterrupts { poll(&entry, 1, time) } > 0
    }

    /// Waits for its end. Blocks; to be called once.
    package func wait() -> End {
        var status: Int32 = 0
        _ = retryingInterrupts { waitpid(process, &status, 0) }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}

/// Lends a null-terminated array of C strings.
private func withCStrings<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}
