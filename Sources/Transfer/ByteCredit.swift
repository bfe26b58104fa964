import Platform

/// The body bytes that exchanges may take together, in whatever sessions. They are handed out before a byte is taken, so that no more ever are;
/// what a network still brings when they are spent stays with the kernel and libcurl, unread.
package final class ByteCredit: Sendable {
    /// libcurl hands over no more than this at once, and all of it or nothing: where less is left, nothing may come any more.
    package static let pieceBytes: Int64 = 16 << 10

    /// What there was at the beginning.
    package let totalBytes: Int64
    private let leftBytes: Locked<Int64>
    /// Called once, and let go then.
    private let exhausted: Locked<(@Sendable () -> Void)?>

    /// - Parameter exhausted: called on a session's thread the first time that more was asked for than is left; must not block.
    package init(bytes: Int64, exhausted: @escaping @Sendable () -> Void) {
        totalBytes = bytes
        leftBytes = Locked(bytes)
        self.exhausted = Locked(exhausted)
    }

    /// Hands out all of so many bytes, or none.
    func take(_ count: Int) -> Bool {
        let isGranted = leftBytes.withLock { left in
            guard left >= Int64(count) else { return false }
            left -= Int64(count)
            return true
        }
        if !isGranted { exhausted.withLock { $0.take() }?() }
        return isGranted
    }
}
