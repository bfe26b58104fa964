import Glibc

/// Ends the process where it can't go on and nobody could do anything about it, with a line that says why: of what `preconditionFailure` is told a
/// release build says nothing.
package func giveUp(_ reason: some CustomStringConvertible) -> Never {
    let line = Array("error: \(reason)\n".utf8)
    _ = retryingInterrupts { write(STDERR_FILENO, line, line.count) }
    // What is to be done at an exit may need what is missing.
    _exit(EXIT_FAILURE)
}
