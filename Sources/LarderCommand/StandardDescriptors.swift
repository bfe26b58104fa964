import Glibc

/// The descriptors 0 to 2, which whoever starts a program may have closed.
enum StandardDescriptors {
    /// Takes those that are closed: the next file that is opened would get their numbers, and with them what is meant for people. Each is
    /// opened for the other direction, so that using it fails as it would have.
    static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest number that is free. Where there is no such device, all stays as it was.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
