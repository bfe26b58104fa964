import Platform

/// Another stream, read by a thread of its own some pieces ahead: whoever takes the bytes hashes and writes them while the next ones are
/// decompressed. Errors come where they would have come: behind the bytes before them.
final class ReadAhead: ByteStream {
    /// What is shorter is done before a thread could help.
    static let worthwhileBytes: Int64 = 4 << 20

    private let ring: PieceRing
    private var thread: WorkerThread?
    private var isThreadRefused = false
    /// How much was read without the thread.
    private var directBytes = 0
    /// What is left of the piece taken last; its buffer is the ring's.
    private var rest: UnsafeRawBufferPointer?
    private var ringInputBytes: Int64 = 0

    /// - Parameters:
    ///   - stream: must not be touched by anybody else before it has ended here, or this is gone.
    ///   - inputBytes: how much the stream has taken of what it is made from; asked on the thread that reads it.
    init(_ stream: any ByteStream, inputBytes: @escaping () -> Int64 = { 0 }) {
        ring = PieceRing(stream, inputBytes: inputBytes)
    }

    deinit {
        ring.close()
        thread?.join()
    }

    /// What the stream had taken of its own input when it yielded the piece that was read last.
    var inputBytes: Int64 { thread != nil ? ringInputBytes : ring.inputBytes() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard hasThread else {
            let count = try ring.stream.read(into: buffer)
            directBytes += count
            return count
        }
        var done = 0
        // Filled as far as it goes, for large writes.
        while done < buffer.count {
            let next = Result { () throws(ArchiveError) in try nextRest() }
            if done > 0, case .failure = next { break }  // It is there again at the next call.
            guard let piece = try next.get() else { break }
            let count = min(buffer.count - done, piece.count)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + count)])
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[..<count]))
            rest = UnsafeRawBufferPointer(rebasing: piece[count...])
            done += count
        }
        return done
    }

    /// What is in the pieces; nil at the end.
    private func nextRest() throws(ArchiveError) -> UnsafeRawBufferPointer? {
        if let rest {
            if !rest.isEmpty { return rest }
            self.rest = nil
            ring.release()
        }
        guard let piece = try ring.take() else { return nil }
        rest = piece.bytes
        ringInputBytes = piece.inputBytes
        return rest
    }

    /// Starts the thread once there is more than a little to read.
    private var hasThread: Bool {
        if thread == nil, !isThreadRefused, directBytes >= PieceRing.pieceBytes {
            // Where the system refuses a thread, this one goes on.
            thread = try? WorkerThread(ifGranted: "read ahead") { [ring] in ring.fill() }
            isThreadRefused = thread == nil
        }
        return thread != nil
    }
}

/// Pieces between the thread that reads a stream and the one that uses it.
private final class PieceRing: @unchecked Sendable {
    // Sendable because the stream and free buffers belong to the thread that fills, filled ones to the one that takes, and which is which is
    // known by the monitor.
    static let pieceBytes = 256 << 10
    private static let pieces = 4

    private struct State {
        /// What is filled and not released, in order: parts of the buffers, and what the stream had taken by then.
        var filled: [(part: Range<Int>, inputBytes: Int64)] = []
        var end: Result<Void, ArchiveError>?
        var isClosed = false
    }

    let stream: any ByteStream
    let inputBytes: () -> Int64
    private let buffers = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes * pieces, alignment: 4096)
    private let state = Monitor(State())

    init(_ stream: any ByteStream, inputBytes: @escaping () -> Int64) {
        self.stream = stream
        self.inputBytes = inputBytes
    }

    deinit { buffers.deallocate() }

    /// Reads the stream to its end, or until nobody wants more.
    func fill() {
        var number = 0
        while waitForRoom() {
            let start = number % Self.pieces * Self.pieceBytes
            let buffer = UnsafeMutableRawBufferPointer(rebasing: buffers[start..<(start + Self.pieceBytes)])
            number += 1
            do throws(ArchiveError) {
                let count = try stream.read(into: buffer)
                guard count > 0 else { return state.change { $0.end = .success(()) } }
                let inputBytes = inputBytes()
                state.change { $0.filled.append((start..<(start + count), inputBytes)) }
            } catch {
                return state.change { $0.end = .failure(error) }
            }
        }
    }

    /// - Returns: false when nobody wants more.
    private func waitForRoom() -> Bool {
        state.wait { state in
            if state.isClosed { return false }
            return state.filled.count < Self.pieces ? true : nil
        }
    }

    /// The next piece, which stays the caller's until it is released; nil at the end.
    func take() throws(ArchiveError) -> (bytes: UnsafeRawBufferPointer, inputBytes: Int64)? {
        let next = state.wait { state -> Result<(part: Range<Int>, inputBytes: Int64)?, ArchiveError>? in
            if let piece = state.filled.first { return .success(piece) }
            return state.end?.map { nil }
        }
        guard let piece = try next.get() else { return nil }
        return (UnsafeRawBufferPointer(rebasing: buffers[piece.part]), piece.inputBytes)
    }

    /// Gives the piece that was taken back.
    func release() { state.change { _ = $0.filled.removeFirst() } }

    /// Nobody will take anything any more.
    func close() { state.change { $0.isClosed = true } }
}
