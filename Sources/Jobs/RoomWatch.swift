import Platform

/// Keeps part of a disk free: looks before a run, and again every so many bytes that it writes.
final class RoomWatch: Sendable {
    typealias Space = (free: Int64, total: Int64)

    private let minimum: RunOptions.FreeSpace
    private let space: @Sendable () throws(SystemError) -> Space
    private let bytesSinceLook = Locked<Int64>(0)

    /// Asking the file system is cheap, but not as cheap as to be done for every piece.
    static let intervalBytes: Int64 = 8 << 20

    /// - Parameter space: asks the file system.
    init(_ minimum: RunOptions.FreeSpace, space: @escaping @Sendable () throws(SystemError) -> Space) {
        self.minimum = minimum
        self.space = space
    }

    /// Why `bytes` can't be written without breaking into what must stay free; nil when they can.
    func objection(to bytes: Int64) throws(SystemError) -> String? {
        let (free, total) = try space()
        let kept = minimum.bytes(ofTotal: total)
        guard bytes.addingClamped(kept) > free else { return nil }
        return
            "\(bytes) bytes are to be fetched, but of \(free) free ones \(kept) must stay free; free some space, or lower --min-free"
    }

    /// Notes bytes that were written, and looks when it is time.
    func isShort(after bytes: Int64) -> Bool {
        let isDue = bytesSinceLook.withLock { count in
            count = count.addingClamped(bytes)
            guard count >= Self.intervalBytes else { return false }
            count = 0
            return true
        }
        // A file system that doesn't answer now will say what is wrong when it is written to.
        guard isDue, let (free, total) = try? space() else { return false }
        return free < minimum.bytes(ofTotal: total)
    }
}
