import Glibc
import Platform

/// The two standard streams. Whole texts go out at once, so that those of two threads never mix. A reader that is gone is not our trouble; any
/// other failure of standard output is, since somebody counts on what it should have held.
enum Console {
    private static let turn = Locked(())
    private static let outputFailure = Locked<SystemError?>(nil)

    /// What became of standard output, if something went wrong with it: the first failure.
    static var failure: SystemError? { outputFailure.withLock { $0 } }

    static func write(_ text: String) {
        guard let code = put(text, STDOUT_FILENO), code != EPIPE else { return }
        let failure = SystemError(code: code, operation: "write to", subject: "standard output")
        outputFailure.withLock { $0 = $0 ?? failure }
    }

    /// Trouble with it can be told nowhere.
    static func writeError(_ text: String) { _ = put(text, STDERR_FILENO) }

    /// - Returns: the `errno` value when not everything could be written.
    private static func put(_ text: String, _ descriptor: Int32) -> Int32? {
        var text = text
        return turn.withLock { _ in
            text.withUTF8 { buffer in
                var rest = buffer[...]
                while !rest.isEmpty {
                    let bytes = UnsafeBufferPointer(rebasing: rest)
                    let count = retryingInterrupts { Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
                    guard count > 0 else { return errno }
                    rest = rest.dropFirst(count)
                }
                return nil
            }
        }
    }
}
