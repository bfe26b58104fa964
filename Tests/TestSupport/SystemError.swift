import Glibc

/// A system call that failed, with what it was about.
package struct SystemError: Error, CustomStringConvertible {
    package let call: String
    package let code: Int32

    /// - Parameter code: an `errno` value; by default the one the calling thread has just got.
    package init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Throws unless a call that answers -1 on failure succeeded.
@discardableResult
package func check<Result: SignedInteger>(_ result: Result, _ call: @autoclosure () -> String) throws(SystemError)
    -> Result
{
    let code = errno
    guard result >= 0 else { throw SystemError(call(), code: code) }
    return result
}
