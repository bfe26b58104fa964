import Glibc
import Platform

/// The SHA-256 of a file that is written in several places at once: bytes are taken in order as they come, and those that came ahead of their
/// turn are read back when it is theirs, on a thread of its own, while others still arrive.
final class FrontierDigest: Sendable {
    private struct State {
        /// What the digest has taken in.
        var hashedBytes: Int64 = 0
        /// What there is from the file's start without a gap.
        var contiguousBytes: Int64 = 0
        /// Whether somebody has the hasher.
        var isBusy = false
        var isStopped = false
        var failure: SystemError?
        var whenEven: (@Sendable () -> Void)?
    }

    private let hasher = SHA256()
    private let file: OwnedDescriptor
    private let state = Locked(State())
    private static let queue = JobQueue(name: "larder-digest", threads: 2)
    private static let stepBytes: Int64 = 8 << 20

    init(of file: OwnedDescriptor) { self.file = file }

    /// Takes in what is held from the file's start, before more comes. For many gigabytes that takes a while.
    /// - Parameter isStopped: asked before each piece; after a yes the digest is of no use.
    func readHeld(_ countBytes: Int64, isStopped: () -> Bool) throws(SystemError) {
        let count = try hasher.update(from: file, lengthBytes: countBytes, isStopped: isStopped)
        guard count == countBytes || isStopped() else { throw cut }
        state.withLock { state in
            state.hashedBytes = countBytes
            state.contiguousBytes = countBytes
        }
    }

    /// Starts anew, while nobody writes.
    func reset() {
        hasher.reset()
        state.withLock { state in
            state.hashedBytes = 0
            state.contiguousBytes = 0
        }
    }

    /// Takes bytes that were written at `position`, at once if it is their turn.
    /// - Parameter contiguousBytes: what is written by now from the file's start without a gap.
    func take(_ bytes: UnsafeRawBufferPointer, at position: Int64, contiguousBytes: Int64) {
        let isTheirTurn = state.withLock { state in
            state.contiguousBytes = max(state.contiguousBytes, contiguousBytes)
            guard !state.isBusy, state.hashedBytes == position else { return false }
            state.isBusy = true
            return true
        }
        if isTheirTurn { hasher.update(bytes) }
        let mustCatchUp = state.withLock { state in
            if isTheirTurn {
                state.hashedBytes += Int64(bytes.count)
                state.isBusy = false
            }
            guard !state.isBusy, state.hashedBytes < state.contiguousBytes else { return false }
            state.isBusy = true
            return true
        }
        if mustCatchUp { Self.queue.enqueue { self.catchUp() } }
    }

    private func catchUp() {
        var next = nextRange()
        while case .read(let range) = next {
            let failure: SystemError?
            do throws(SystemError) {
                let length = range.upperBound - range.lowerBound
                let count = try hasher.update(from: file, at: range.lowerBound, lengthBytes: length)
                failure = count == length ? nil : cut
            } catch {
                failure = error
            }
            state.withLock { state in
                state.failure = state.failure ?? failure
                state.hashedBytes = range.upperBound
            }
            next = nextRange()
        }
        if case .even(let then?) = next { then() }
    }

    private enum Next {
        case read(Range<Int64>)
        /// There is nothing to be read, and the hasher is free again.
        case even((@Sendable () -> Void)?)
    }

    /// One step: between the hasher's being free and its being told, another one could take it.
    private func nextRange() -> Next {
        state.withLock { state in
            guard !state.isStopped, state.failure == nil, state.hashedBytes < state.contiguousBytes else {
                state.isBusy = false
                defer { state.whenEven = nil }
                return .even(state.whenEven)
            }
            return .read(state.hashedBytes..<min(state.contiguousBytes, state.hashedBytes + Self.stepBytes))
        }
    }

    private var cut: SystemError { SystemError(code: EIO, operation: "read", subject: file.name) }

    // MARK: End

    /// Calls back once all that was written without a gap is taken in; nothing may be written meanwhile.
    func whenEven(_ then: @escaping @Sendable () -> Void) {
        let isBusy = state.withLock { state in
            if state.isBusy { state.whenEven = then }
            return state.isBusy
        }
        if !isBusy { then() }
    }

    /// Lets go of what is still to be read: nobody wants the digest any more.
    func stop() { state.withLock { $0.isStopped = true } }

    /// The digest of all that was taken in.
    /// - Throws: when it could not be read back.
    func finalize() throws(SystemError) -> SHA256Digest {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return hasher.finalize()
    }
}
