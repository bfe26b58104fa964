import Platform

/// The bytes of a download, from the first one on, for somebody who reads them while they arrive. Nobody has vouched for them yet: whatever is
/// made of them must stay out of sight until the download has ended well.
package final class ArrivingBytes: Sendable {
    private struct State {
        var file: OwnedDescriptor?
        /// What is on the disk from the first byte on without a gap.
        var contiguousBytes: Int64 = 0
        /// Whether the reader has been told that there is something.
        var isAnnounced = false
        var end: End?
    }

    private enum End {
        /// All bytes are there, and proven.
        case whole
        /// There will be no more of these bytes: the download failed, or another version comes in their place.
        case gone
    }

    private let state = Monitor(State())
    private let announcedBytes: Int64
    private let didBegin: @Sendable (ArrivingBytes) -> Void

    /// - Parameters:
    ///   - announcedBytes: so many have to be there before the reader is told: a small file isn't worth being read early.
    ///   - didBegin: told then, at most once, on a thread that must not be held up.
    package init(announcedBytes: Int64, didBegin: @escaping @Sendable (ArrivingBytes) -> Void) {
        self.announcedBytes = announcedBytes
        self.didBegin = didBegin
    }

    // MARK: The download's side

    /// A try begins, or goes on, with a file that holds so many bytes. To be called before the file's bytes change.
    func begin(_ file: OwnedDescriptor, contiguousBytes: Int64) {
        state.change { state in
            state.file = file
            if contiguousBytes < state.contiguousBytes { state.end = .gone }
            state.contiguousBytes = contiguousBytes
        }
        announce()
    }

    func advance(to contiguousBytes: Int64) {
        state.change { $0.contiguousBytes = max($0.contiguousBytes, contiguousBytes) }
        announce()
    }

    private func announce() {
        let isDue = state.change { state in
            guard !state.isAnnounced, state.end == nil, state.contiguousBytes >= announcedBytes else { return false }
            state.isAnnounced = true
            return true
        }
        if isDue { didBegin(self) }
    }

    // MARK: The caller's side

    /// The download has been answered.
    /// - Parameter isWhole: it succeeded.
    package func end(isWhole: Bool) {
        state.change { state in if state.end == nil { state.end = isWhole ? .whole : .gone } }
    }

    /// Reads the bytes at `offset`, and waits for them where they aren't there yet.
    /// - Returns: how many were read, 0 at the end; nil once there will be no more of these bytes.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        guard let part = next(at: offset) else { return nil }
        let wanted = Int(min(Int64(buffer.count), part.countBytes))
        let count = try part.file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
        // What was read of a file that began anew meanwhile is of either version.
        return state.change { $0.end == .gone } ? nil : count
    }

    private func next(at offset: Int64) -> (file: OwnedDescriptor, countBytes: Int64)? {
        state.wait { state -> (file: OwnedDescriptor, countBytes: Int64)?? in
            if state.end == .gone { return .some(nil) }
            guard let file = state.file, state.end == .whole || offset < state.contiguousBytes else { return nil }
            return (file, state.contiguousBytes - offset)
        }
    }
}
