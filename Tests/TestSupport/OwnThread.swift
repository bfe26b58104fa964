import Glibc

/// Runs `body` on a thread of its own, which may have its own umask, and may have no more rights over files than anybody has. Nothing of
/// that touches other threads, so tests may run beside each other.
///
/// - Parameter unprivileged: root's rights over files are put off (`setfsuid`); whoever isn't root has none anyway.
package func onOwnThread<Result: Sendable>(
    umask: mode_t? = nil, unprivileged: Bool = false, _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let run: @Sendable () -> Void = {
            continuation.resume(
                with: Swift.Result {
                    if let umask { try setOwnUmask(umask) }
                    if unprivileged { try callByName("setfsuid", 65534) }
                    return try body()
                })
        }
        do { try startThread(run) } catch { continuation.resume(throwing: error) }
    }
}

private func setOwnUmask(_ mask: mode_t) throws {
    let sharedFileSystemState: Int32 = 0x200  // CLONE_FS
    try check(callByName("unshare", sharedFileSystemState), "unshare")
    _ = umask(mask)
}

/// Calls a C function that Glibc's module doesn't show.
@discardableResult
private func callByName(_ name: String, _ argument: Int32) throws -> Int32 {
    guard let address = dlsym(nil, name) else { throw SystemError(name, code: ENOSYS) }
    return unsafeBitCast(address, to: (@convention(c) (Int32) -> Int32).self)(argument)
}
