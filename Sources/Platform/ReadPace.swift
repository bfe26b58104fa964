import Glibc

/// Holds readers of several threads together to a rate.
package final class ReadPace: Sendable {
    private let bytesPerSecond: Int64?
    private let isStopped: @Sendable () -> Bool
    /// When everything that was booked is paid for.
    private let paidUntil = Locked(ContinuousClock.now)

    /// How long a wait may go on after a stop.
    private static let longestNap: Duration = .milliseconds(50)

    /// - Parameters:
    ///   - bytesPerSecond: nil: as fast as may be.
    ///   - isStopped: ends a wait.
    package init(bytesPerSecond: Int64?, isStopped: @escaping @Sendable () -> Bool) {
        self.bytesPerSecond = bytesPerSecond.map { max(1, $0) }
        self.isStopped = isStopped
    }

    /// Books bytes that are going to be read, and waits until those that were booked before are paid for.
    package func wait(for bytes: Int64) {
        guard let bytesPerSecond else { return }
        let begin = paidUntil.withLock { paidUntil in
            let begin = max(paidUntil, .now)
            paidUntil = begin + .seconds(Double(bytes) / Double(bytesPerSecond))
            return begin
        }
        while !isStopped() {
            let rest = begin - .now
            guard rest > .zero else { return }
            usleep(UInt32(max(1, min(rest, Self.longestNap) / .microseconds(1))))
        }
    }
}
