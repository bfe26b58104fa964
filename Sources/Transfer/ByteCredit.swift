import Platform

/// The body bytes that exchanges may take together, in whatever sessions. They are handed out before a byte is taken, so that no more ever are;
/// what a network still brings when they are spent stays with the kernel and libcurl, unread.
package final class ByteCredit: Sendable {
    /// libcurl hands over no more than this at once, and all of it or nothing: where less is left, nothing may come any more.
    package static let pieceBytes: Int64 = 16 << 10

    private struct State {
        var leftBytes: Int64
        /// What of that is for one share alone, by its number.
        var reservedBytes: [UInt64: Int64] = [:]
        var lastShare: UInt64 = 0
        /// Whether there wasn't enough for somebody.
        var isWanting = false

        var freeBytes: Int64 { reservedBytes.values.reduce(leftBytes, -) }

        /// Whether nothing of use comes any more: who has something reserved goes on to its end.
        var isOver: Bool { isWanting && reservedBytes.isEmpty }
    }

    /// What there was at the beginning.
    package let totalBytes: Int64
    private let state: Locked<State>
    /// Called once, and let go then.
    private let exhausted: Locked<(@Sendable () -> Void)?>

    /// - Parameter exhausted: called on a session's thread the first time that more was asked for than is left, or once those have ended that
    ///   something was reserved for; must not block.
    package init(bytes: Int64, exhausted: @escaping @Sendable () -> Void) {
        totalBytes = bytes
        state = Locked(State(leftBytes: bytes))
        self.exhausted = Locked(exhausted)
    }

    /// What an exchange may reserve something in.
    package func makeShare() -> Share {
        let number = state.withLock { state in
            state.lastShare += 1
            return state.lastShare
        }
        return Share(credit: self, number: number)
    }

    /// Hands out all of so many bytes, or none.
    /// - Parameter share: whose reserved bytes are taken first.
    func take(_ count: Int, for share: Share?) -> Bool {
        let (isGranted, isOver) = state.withLock { state in
            let own = share.flatMap { state.reservedBytes[$0.number] } ?? 0
            let taken = min(own, Int64(count))
            guard state.freeBytes >= Int64(count) - taken else {
                state.isWanting = true
                // It is longer than it said, and goes on no more than the others.
                if let share { state.reservedBytes[share.number] = nil }
                return (false, state.isOver)
            }
            state.leftBytes -= Int64(count)
            if let share, own > 0 { state.reservedBytes[share.number] = own - taken }
            return (true, false)
        }
        if isOver { tellExhausted() }
        return isGranted
    }

    private func tellExhausted() { exhausted.withLock { $0.take() }?() }

    /// One exchange's part in the credit.
    package struct Share: Sendable {
        fileprivate let credit: ByteCredit
        fileprivate let number: UInt64

        /// Keeps so many bytes for its exchange: it is of use as a whole alone.
        /// - Returns: how many are left where that is less; nil once they are reserved.
        package func reserve(_ count: Int64) -> Int64? {
            credit.state.withLock { state in
                let free = max(0, state.freeBytes)
                guard free >= count else { return free }
                state.reservedBytes[number] = count
                return nil
            }
        }

        /// Whether something is left of what was reserved.
        var hasReserve: Bool { credit.state.withLock { $0.reservedBytes[number] ?? 0 > 0 } }

        /// The exchange is over: what it didn't take is for others.
        func release() {
            let isOver = credit.state.withLock { state in
                state.reservedBytes.removeValue(forKey: number) != nil && state.isOver
            }
            if isOver { credit.tellExhausted() }
        }
    }
}
