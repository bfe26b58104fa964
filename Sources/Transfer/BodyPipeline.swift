import Glibc
import Platform

/// The way of a body from the loop thread to the consumers: gathered into large pieces, queued within a bound, handed over by writer threads.
///
/// libcurl delivers at most 16 KiB a call; writing pieces of 256 KiB costs half the kernel time. Above the high-water mark of queued bytes
/// the loop pauses its transfers, below the low one it is woken to go on.
final class BodyPipeline: Sendable {
    static let pieceBytes = 256 << 10
    /// Where memory is short.
    static let smallPieceBytes = 64 << 10
    private static let highWaterBytes = 2 << 20
    private static let lowWaterBytes = 1 << 20
    /// As many as small bodies arrive at once, each in one that is hardly filled.
    private static let maximumSparePieces = 16

    private struct State {
        var queuedBytes = 0
        var isWaitedFor = false
        /// Pieces of the usual size.
        var spare: [BodyPiece] = []
        var isMemoryShort = false
    }

    private let state = Locked(State())
    private let writers: [JobQueue]
    private let drained: @Sendable () -> Void

    /// - Parameter drained: called on a writer thread when there is room again after `hasRoom` had said no.
    init(drained: @escaping @Sendable () -> Void) {
        self.drained = drained
        // The loop has a core of its own; more writers than four never helped.
        let count = min(4, max(1, Processors.count - 1))
        writers = (0..<count).map { _ in JobQueue(name: "larder-writer") }
    }

    /// Whether another piece may be queued. After a no, `drained` is called once there is room.
    func hasRoom() -> Bool {
        state.withLock { state in
            let hasRoom = state.queuedBytes < Self.highWaterBytes
            if !hasRoom { state.isWaitedFor = true }
            return hasRoom
        }
    }

    /// An empty piece, recycled where there is one.
    func takePiece() -> BodyPiece {
        let (spare, isMemoryShort) = state.withLock { ($0.spare.popLast(), $0.isMemoryShort) }
        return spare ?? BodyPiece(capacity: isMemoryShort ? Self.smallPieceBytes : Self.pieceBytes)
    }

    /// Lets spare pieces go and does without, with smaller ones, until `endMemoryShortage`.
    /// - Returns: how many bytes were let go.
    func relieveMemory() -> Int {
        let spare = state.withLock { state in
            state.isMemoryShort = true
            defer { state.spare = [] }
            return state.spare
        }
        return spare.count * Self.pieceBytes
    }

    func endMemoryShortage() { state.withLock { $0.isMemoryShort = false } }

    /// A writer for one exchange; all its jobs run there, in order.
    func writer(for id: TransferID) -> JobQueue { writers[Int(id.number % UInt64(writers.count))] }

    func didQueue(_ piece: BodyPiece) {
        let count = piece.count
        state.withLock { $0.queuedBytes += count }
    }

    /// Takes a piece back that a writer is done with.
    func didWrite(_ piece: BodyPiece) {
        let count = piece.count
        piece.clear()
        let mustWake = state.withLock { state in
            state.queuedBytes -= count
            if !state.isMemoryShort, piece.room == Self.pieceBytes,
                state.spare.count < Self.maximumSparePieces
            {
                state.spare.append(piece)
            }
            guard state.isWaitedFor, state.queuedBytes <= Self.lowWaterBytes else { return false }
            state.isWaitedFor = false
            return true
        }
        if mustWake { drained() }
    }

    /// Waits until every job given so far has run, and then `last`, which may block.
    func drain(_ last: @escaping @Sendable () -> Void) async {
        for writer in writers { await writer.run {} }
        await writers[0].run(last)
    }
}
