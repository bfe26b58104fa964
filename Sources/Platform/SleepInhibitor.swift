import CLinux
import Glibc

/// Keeps the machine from going to sleep by itself, as long as it is held and the process lives: `systemd-inhibit` runs for just as long, since
/// what it waits for is the end of a connection of ours. Where there is none, or where it is refused, nothing happens.
///
/// The lock is logind's on `idle` alone: one on `sleep` would also refuse people who send the machine to sleep by hand, or close its lid, and there
/// is nothing to delay that for, since a run goes on after it where it was.
package final class SleepInhibitor: Sendable {
    /// Closed with this object, or by the kernel with the process.
    private let connection: OwnedDescriptor

    /// - Parameters:
    ///   - why: what people are told who ask.
    ///   - program: a path, or a name that is looked up in `PATH`.
    /// - Returns: nil where the system has no descriptors left.
    package init?(why: String, program: String = "systemd-inhibit") {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        connection = OwnedDescriptor(adopting: ends[0], name: "an inhibitor's connection")
        let input = OwnedDescriptor(adopting: ends[1], name: "an inhibitor's input")
        let command = [
            program, "--what=idle", "--who=larder", "--why=\(why)", "--mode=block", "cat",
        ]
        // Most machines that lack it lack sleep as well: nobody needs to be told.
        guard let program = try? Program(command, input: input, hasOwnGroup: true) else { return }
        // Without the thread nobody asks what became of it, and the kernel remembers it a little longer.
        _ = try? WorkerThread(ifGranted: "larder-awake") { _ = program.wait() }
    }
}
