import ContentLibrary
import Glibc
import Platform

/// The one file that segments are joined into, while it grows. Used by one thread at a time.
final class JoinedOutput: Sendable {
    private let file: OwnedDescriptor
    private let hasher = SHA256()
    private let state = Locked(State())

    private struct State {
        var lengthBytes: Int64 = 0
        var sources: [Receipt.Source] = []
    }

    private static let pieceBytes = 256 << 10

    /// Goes on behind what an earlier run had joined.
    init(_ file: OwnedDescriptor, holding sources: [Receipt.Source]) throws(SystemError) {
        self.file = file
        let length = sources.reduce(0) { $0 &+ $1.sizeBytes }
        state.withLock { $0 = State(lengthBytes: length, sources: sources) }
        guard try hasher.update(from: file, lengthBytes: length) == length else {
            throw SystemError(code: EIO, operation: "read", subject: file.name)
        }
    }

    var count: Int { state.withLock { $0.sources.count } }

    /// Appends a segment's bytes.
    /// - Parameter offset: where they begin in `source`.
    func append(_ segment: Receipt.Source, from source: OwnedDescriptor, at offset: Int64) throws(SystemError) {
        let start = state.withLock { $0.lengthBytes }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 4096)
        defer { piece.deallocate() }
        var done: Int64 = 0
        while done < segment.sizeBytes {
            let wanted = Int(min(Int64(piece.count), segment.sizeBytes - done))
            let count = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: piece[..<wanted]), at: offset + done)
            guard count > 0 else { throw SystemError(code: EIO, operation: "read", subject: source.name) }
            let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
            hasher.update(bytes)
            try file.write(bytes, at: start + done)
            done += Int64(count)
        }
        state.withLock { state in
            state.lengthBytes += done
            state.sources.append(segment)
        }
    }

    /// The digest of it all, and what it was made of, in order.
    func finish() -> (digest: SHA256Digest, sources: [Receipt.Source]) {
        (hasher.finalize(), state.withLock { $0.sources })
    }
}
