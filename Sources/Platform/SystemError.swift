import Glibc

/// A system call that failed: what was attempted, on what, and the kernel's reason.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The `errno` value.
    package let code: Int32
    /// What was attempted, as a verb for people: `open`, `rename`.
    package let operation: String
    /// What it was attempted on, already safe to print.
    package let subject: String

    package init(code: Int32, operation: String, subject: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
    }

    /// The error that `errno` holds right now; read it straight after the call that failed.
    package static func last(_ operation: String, _ subject: @autoclosure () -> String) -> SystemError {
        // Before words are made, which may need memory and with it a call of their own.
        let code = errno
        return SystemError(code: code, operation: operation, subject: subject())
    }

    /// Whether the disk, or this user's share of it, is full.
    package var isNoSpace: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the thing simply isn't there.
    package var isNotFound: Bool { code == ENOENT }

    /// The kernel's reason in words.
    package var reason: String {
        var buffer = [CChar](repeating: 0, count: 128)
        // The GNU variant isn't what Swift sees: this one fills the buffer.
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package var description: String { "can't \(operation) \(subject): \(reason)" }
}

/// Calls `body` again for as long as a signal interrupts it.
@inline(__always)
package func retryingInterrupts<Result: SignedInteger>(_ body: () -> Result) -> Result {
    while true {
        let result = body()
        if result != -1 || errno != EINTR { return result }
    }
}
