/// Lets one thread at a time do work that takes long: reading and writing, code of callers'. What is over at once is for ``Locked``.
package final class WorkLock: Sendable {
    private let turn = Locked(())

    package init() {}

    /// Does `work` as soon as nobody else does any. Blocks until then.
    package func perform<Success, Failure: Error>(
        _ work: () throws(Failure) -> sending Success
    ) throws(Failure) -> sending Success {
        try turn.withLock { (_) throws(Failure) in try work() }
    }

    /// Does `work` where nobody else does any right now.
    /// - Returns: whether it was done.
    package func performIfFree(_ work: () -> Void) -> Bool {
        turn.withLockIfAvailable { (_) in work() } != nil
    }
}
