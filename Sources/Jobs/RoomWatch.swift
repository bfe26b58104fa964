import Platform

/// Keeps part of a disk free: looks before a run, before every reply whose length is known, and again every so many bytes that are written. What is
/// missing it first has made free, where anything can be.
final class RoomWatch: Sendable {
    typealias Space = (free: Int64, total: Int64)
    /// Makes room, if it can. It asks what is missing once nobody else is about to make any; nil when nothing is by then.
    typealias Relief = @Sendable (_ shortage: @escaping @Sendable () -> Shortage?) -> Void

    /// What a disk has too little of.
    struct Shortage: Sendable {
        let freeBytes: Int64
        /// How many would have to be free.
        let wantedBytes: Int64

        var missingBytes: Int64 { wantedBytes - freeBytes }
    }

    private struct State {
        var bytesUntilLook = RoomWatch.intervalBytes.upperBound
        var relief: Relief?
    }

    private let minimum: RunOptions.FreeSpace
    private let space: @Sendable () throws(SystemError) -> Space
    private let state = Locked(State())

    /// Asking the file system is cheap, but not as cheap as to be done for every piece; the nearer the limit, the more often it is asked.
    static let intervalBytes: ClosedRange<Int64> = 256 << 10...8 << 20

    /// - Parameter space: asks the file system.
    init(_ minimum: RunOptions.FreeSpace, space: @escaping @Sendable () throws(SystemError) -> Space) {
        self.minimum = minimum
        self.space = space
    }

    /// Watches over what is written, and over replies, from now on.
    func begin(_ relief: @escaping Relief) { state.withLock { $0.relief = relief } }

    /// Why `bytes` can't be written without breaking into what must stay free; nil when they can.
    func objection(to bytes: Int64, _ relief: Relief? = nil) throws(SystemError) -> String? {
        guard let shortage = try shortage(of: bytes, relief) else { return nil }
        let kept = shortage.wantedBytes - bytes
        let due = bytes > 0 ? "\(shownBytes(bytes)) are" : "something is"
        return
            "\(due) to be fetched, but of \(shownBytes(shortage.freeBytes)) free \(shownBytes(kept)) must stay free; free some space (larder clean may help), or lower --min-free"
    }

    /// Why a reply of so many bytes can't be written; nil when it can, and before `begin`: a run that turns out to need no room is carried through.
    func makeRoom(for bytes: Int64) -> String? {
        guard bytes > 0, let relief = state.withLock({ $0.relief }) else { return nil }
        // A file system that doesn't answer now will say what is wrong when it is written to.
        return try? objection(to: bytes, relief)
    }

    /// Whether so many bytes can be written without breaking into what must stay free. Nothing is let go of for them.
    func hasRoom(for bytes: Int64) -> Bool {
        guard let (free, total) = try? space() else { return true }
        return bytes.addingClamped(minimum.bytes(ofTotal: total)) <= free
    }

    /// Notes bytes that were written, and looks when it is time.
    func isShort(after bytes: Int64) -> Bool {
        let (isDue, relief) = state.withLock { state in
            state.bytesUntilLook -= min(bytes, state.bytesUntilLook)
            guard state.bytesUntilLook == 0 else { return (false, state.relief) }
            state.bytesUntilLook = Self.intervalBytes.upperBound
            return (true, state.relief)
        }
        return isDue && (try? shortage(of: 0, relief)) != nil
    }

    private func shortage(of bytes: Int64, _ relief: Relief?) throws(SystemError) -> Shortage? {
        let shortage = try shortage(of: bytes)
        guard shortage != nil, let relief else { return shortage }
        relief { [self] in try? self.shortage(of: bytes) }
        return try self.shortage(of: bytes)
    }

    private func shortage(of bytes: Int64) throws(SystemError) -> Shortage? {
        let (free, total) = try space()
        let kept = minimum.bytes(ofTotal: total)
        state.withLock { state in
            let interval = max(Self.intervalBytes.lowerBound, min((free - kept) / 2, Self.intervalBytes.upperBound))
            state.bytesUntilLook = interval
        }
        let wanted = bytes.addingClamped(kept)
        return wanted > free ? Shortage(freeBytes: free, wantedBytes: wanted) : nil
    }
}
