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

    /// Starts a program.
    /// - Parameters:
    ///   - command: a path, or a name that is looked up in `PATH`, and its arguments.
    ///   - input: its standard input; nil: there is nothing in it.
    ///   - variables: put over our own environment.
    ///   - hasOwnGroup: whether signals of our terminal spare it.
    /// - Throws: why that can't be.
    package init(
        _ command: [String], input: OwnedDescriptor? = nil, output: Output = .discarded,
        variables: [String: String] = [:], hasOwnGroup: Bool = false
    ) throws(SystemError) {
        let outputs: [Int32?] =
            switch output {
            case .discarded: [nil, nil]
            case .toStandardError: [STDERR_FILENO, STDERR_FILENO]
            }
        process = try ProcessStart.spawn(
            command, environment: ProcessStart.environment(with: variables), descriptors: [input?.rawValue] + outputs,
            hasOwnGroup: hasOwnGroup)
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
        wait(atMost: limit, unless: shouldStop, seeing: openProcess())
    }

    /// - Parameter descriptor: tells at once when it has ended; nil: that is seen at the next look.
    func wait(atMost limit: Duration, unless shouldStop: () -> Bool, seeing descriptor: OwnedDescriptor?) -> End? {
        let deadline = ContinuousClock.now + limit
        while !hasEnded(descriptor) {
            guard shouldStop() || ContinuousClock.now >= deadline else { continue }
            kill(-process, SIGTERM)
            _ = (0..<Self.patienceLooks).contains { _ in hasEnded(descriptor) }
            // What it started may have stayed, whether it has ended itself or not.
            kill(-process, SIGKILL)
            _ = wait()
            return nil
        }
        return wait()
    }

    /// How often somebody who waits looks whether to go on.
    private static let lookIntervalMilliseconds: Int32 = 200
    /// How many looks long a program that is to end may take to clear up.
    private static let patienceLooks = 10

    /// Nil on kernels before 5.3, under seccomp filters that don't know the call, and where there is no descriptor left.
    func openProcess() -> OwnedDescriptor? {
        let descriptor = larder_open_process(process)
        return descriptor < 0 ? nil : OwnedDescriptor(adopting: descriptor, name: "a program")
    }

    /// Whether it ends until the next look.
    private func hasEnded(_ descriptor: OwnedDescriptor?) -> Bool {
        // A negative descriptor is passed over.
        var entry = pollfd(fd: descriptor?.rawValue ?? -1, events: Int16(POLLIN), revents: 0)
        if retryingInterrupts({ poll(&entry, 1, Self.lookIntervalMilliseconds) }) > 0 { return true }
        guard descriptor == nil else { return false }
        // Its number stays its own until somebody has waited for it.
        var found = siginfo_t()
        let code = retryingInterrupts { waitid(P_PID, id_t(process), &found, WEXITED | WNOHANG | WNOWAIT) }
        return code == 0 && found.si_signo == SIGCHLD
    }

    /// Waits for its end. Blocks; to be called once.
    package func wait() -> End {
        var status: Int32 = 0
        _ = retryingInterrupts { waitpid(process, &status, 0) }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}
