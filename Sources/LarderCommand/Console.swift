import Glibc
import Platform

/// The two standard streams. Whole texts go out at once, so that those of two threads never mix; a reader that is gone is not our trouble.
enum Console {
    private static let turn = Locked(())

    static func write(_ text: String) { put(text, STDOUT_FILENO) }

    static func writeError(_ text: String) { put(text, STDERR_FILENO) }

    private static func put(_ text: String, _ descriptor: Int32) {
        var text = text
        turn.withLock { _ in
            text.withUTF8 { buffer in
                var rest = buffer[...]
                while !rest.isEmpty {
                    let bytes = UnsafeBufferPointer(rebasing: rest)
                    let count = retryingInterrupts { Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
                    guard count > 0 else { return }
                    rest = rest.dropFirst(count)
                }
            }
        }
    }
}
