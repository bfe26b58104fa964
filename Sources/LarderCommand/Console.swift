import Glibc
import Platform

/// The two standard streams. Whole texts go out at once, so that those of two threads never mix; what one stream's reader doesn't take keeps nobody
/// from the other. A reader that is gone is not our trouble; any other failure of standard output is, since somebody counts on what it should have
/// held.
enum Console {
    private static let outputTurn = Locked(())
    private static let errorTurn = Locked(())
    private static let outputFailure = Locked<SystemError?>(nil)

    /// What became of standard output, if something went wrong with it: the first failure.
    static var failure: SystemError? { outputFailure.withLock { $0 } }

    static func write(_ text: String) {
        guard let code = put(text, STDOUT_FILENO), code != EPIPE else { return }
        let failure = SystemError(code: code, operation: "write to", subject: "standard output")
        outputFailure.withLock { $0 = $0 ?? failure }
    }

    /// Writes a whole file, in pieces of 256 KiB, between which others have their turn.
    static func write(contentOf file: OwnedDescriptor) throws(SystemError) {
        _ = try file.forEachPiece(of: 256 << 10) { piece throws(SystemError) in
            guard let code = put(piece, STDOUT_FILENO) else { return true }
            throw SystemError(code: code, operation: "write to", subject: "standard output")
        }
    }

    /// Trouble with it can be told nowhere.
    static func writeError(_ text: String) { _ = put(text, STDERR_FILENO) }

    /// - Returns: the `errno` value when not everything could be written.
    private static func put(_ text: String, _ descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { put(UnsafeRawBufferPointer($0), descriptor) }
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32) -> Int32? {
        (descriptor == STDOUT_FILENO ? outputTurn : errorTurn).withLock { _ in
            var rest = bytes
            while !rest.isEmpty {
                let count = retryingInterrupts { Glibc.write(descriptor, rest.baseAddress, rest.count) }
                // Another program that has the same terminal or pipe may have made it one that doesn't wait.
                if count < 0, errno == EAGAIN, waitForRoom(descriptor) { continue }
                guard count > 0 else { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return nil
        }
    }

    /// - Returns: whether there may be room by now; false, with `errno`, where that can't be waited for.
    private static func waitForRoom(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return retryingInterrupts { poll(&entry, 1, -1) } > 0
    }
}
