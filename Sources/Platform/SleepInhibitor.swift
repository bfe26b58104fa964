import CLinux
import Glibc

/// Keeps the machine from going to sleep by itself, as long as it is held and the process lives: `systemd-inhibit` runs for just as long, since
/// what it waits for is the end of a pipe of ours. Where there is none, or where it is refused, nothing happens.
///
/// The lock is logind's on `idle` alone: one on `sleep` would also refuse people who send the machine to sleep by hand, or close its lid, and there is
/// nothing to delay that for, since a run goes on after it where it was.
package final class SleepInhibitor: Sendable {
    /// Closed with this object, or by the kernel with the process.
    private let pipe: OwnedDescriptor

    /// - Parameters:
    ///   - why: what people are told who ask.
    ///   - program: a path, or a name that is looked up in `PATH`.
    package init?(why: String, program: String = "systemd-inhibit") {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        pipe = OwnedDescriptor(adopting: ends[0], name: "an inhibitor's pipe")
        let input = OwnedDescriptor(adopting: ends[1], name: "an inhibitor's input")
        let command = [
            program, "--what=idle", "--who=larder", "--why=\(why)", "--mode=block", "cat",
        ]
        guard let process = Self.spawn(command, input: input) else { return }
        _ = WorkerThread(name: "larder-awake") {
            var status: Int32 = 0
            _ = retryingInterrupts { waitpid(process, &status, 0) }
        }
    }

    /// Starts a program that gets `input` and no other descriptor of ours, no blocked signal, and none from the terminal.
    private static func spawn(_ command: [String], input: OwnedDescriptor) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.rawValue, STDIN_FILENO)
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
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
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var process: pid_t = 0
        let arguments = command.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        return posix_spawnp(&process, command[0], &actions, &attributes, arguments + [nil], larder_environment()) == 0
            ? process : nil
    }
}
