import Glibc

/// The three descriptors that every program expects to be its own.
package enum StandardStreams {
    /// Puts something into the place of those that whoever started the program has closed, else the next file, database or connection that is
    /// opened takes that number, and gets what is written for people. To be called before anything is opened. What is put there fails
    /// whoever uses it, as a closed one does.
    package static func occupy() {
        for (stream, access) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
            guard fcntl(stream, F_GETFD) < 0 else { continue }
            // The lowest free number is the one that is missing: those below are taken by now.
            _ = open("/dev/null", access)
        }
    }

    /// What standard output goes to.
    package static func outputStatus() throws(SystemError) -> FileStatus {
        var raw = stat()
        guard fstat(STDOUT_FILENO, &raw) == 0 else { throw .last("inspect", "standard output") }
        return FileStatus(raw)
    }
}
