import Platform

/// The bytes of a download for somebody who reads them while they arrive. Nobody has vouched for them yet: whatever is made of them must stay out
/// of sight until the download has ended well.
package final class ArrivingBytes: Sendable {
    private struct State {
        var file: OwnedDescriptor?
        /// What tells the file from others.
        var identity: [UInt64]?
        /// What is on the disk from the first byte on without a gap, and from where on to the last. Nothing of that is written again by this
        /// download, while a range between gaps may be: it may not be what is proven in the end.
        var contiguousBytes: Int64 = 0
        var endOffset: Int64?
        var totalBytes: Int64?
        /// Whether the reader has been told that there is something.
        var isAnnounced = false
        /// Whether this try was told, if it was to be, that the end is read first.
        var isWishTold = false
        var end: End?

        /// Whether there will be no more of these bytes, although they weren't all.
        var isCut: Bool { end == .gone || end == .paused }

        /// Whether the reader is to be told now.
        mutating func takeAnnouncement(of announcedBytes: Int64) -> Bool {
            guard !isAnnounced, end == nil, contiguousBytes >= announcedBytes else { return false }
            isAnnounced = true
            return true
        }

        /// The file, once a try and as soon as its head is there.
        mutating func takeFileToJudge() -> OwnedDescriptor? {
            guard !isWishTold, end == nil, contiguousBytes >= ArrivingBytes.headBytes else { return nil }
            isWishTold = true
            return file
        }
    }

    private enum End {
        /// All bytes are there, and proven.
        case whole
        /// No more of these bytes will come, but those that came stay where a later download goes on with them.
        case paused
        /// There will be no more of these bytes: the download failed, or another version comes in their place.
        case gone
    }

    private let state = Monitor(State())
    private let announcedBytes: Int64
    private let readsEndFirst: @Sendable (_ head: [UInt8]) -> Bool
    private let didBegin: @Sendable (ArrivingBytes) -> Void

    private static let headBytes = 4

    /// - Parameters:
    ///   - announcedBytes: so many have to be there, from the first one on, before the reader is told: a small file isn't worth being read early.
    ///   - readsEndFirst: whether what begins with these four bytes is read from its end, which had better come first then.
    ///   - didBegin: told then, at most once, on a thread that must not be held up.
    package init(
        announcedBytes: Int64, readsEndFirst: @escaping @Sendable (_ head: [UInt8]) -> Bool = { _ in false },
        didBegin: @escaping @Sendable (ArrivingBytes) -> Void
    ) {
        self.announcedBytes = announcedBytes
        self.readsEndFirst = readsEndFirst
        self.didBegin = didBegin
    }

    // MARK: The download's side

    /// A try begins, or goes on, with a file that holds these bytes. To be called before the file's bytes change.
    func begin(_ file: OwnedDescriptor, held: ByteRangeSet, totalBytes: Int64?) {
        let identity = try? file.status().identity
        let isDue = state.change { state in
            let endOffset = held.endOffset(of: totalBytes)
            // Bytes of another file, or those that were there and aren't any more, are another version's.
            let goesOn =
                state.identity == identity && held.contiguousBytes >= state.contiguousBytes
                && endOffset ?? .max <= state.endOffset ?? .max
            if !goesOn, state.contiguousBytes > 0 || state.endOffset != nil { state.end = .gone }
            (state.file, state.identity, state.totalBytes) = (file, identity, totalBytes)
            (state.contiguousBytes, state.endOffset) = (held.contiguousBytes, endOffset)
            state.isWishTold = false
            return state.takeAnnouncement(of: announcedBytes)
        }
        if isDue { didBegin(self) }
    }

    /// More is on the disk. Of several writers the later one may be heard first.
    /// - Returns: whether this try is to bring the end first; that is said once, as soon as there is enough to tell.
    func advance(held: ByteRangeSet) -> Bool {
        let (isDue, unjudged) = state.change { state in
            state.contiguousBytes = max(state.contiguousBytes, held.contiguousBytes)
            if let endOffset = held.endOffset(of: state.totalBytes) {
                state.endOffset = min(state.endOffset ?? .max, endOffset)
            }
            return (state.takeAnnouncement(of: announcedBytes), state.takeFileToJudge())
        }
        if isDue { didBegin(self) }
        return unjudged.flatMap(Self.head).map(readsEndFirst) ?? false
    }

    private static func head(of file: OwnedDescriptor) -> [UInt8]? {
        var head = [UInt8](repeating: 0, count: headBytes)
        let count = head.withUnsafeMutableBytes { buffer in try? file.read(into: buffer, at: 0) }
        return count == headBytes ? head : nil
    }

    // MARK: The caller's side

    /// The download has been answered.
    /// - Parameter file: what it brought, proven; nil for nothing. These bytes count only where they are that file's: it may have come from
    ///   somebody else, or anew.
    package func end(with file: OwnedDescriptor?) {
        let identity = file.flatMap { try? $0.status().identity }
        state.change { state in
            if state.end == nil { state.end = identity != nil && identity == state.identity ? .whole : .gone }
        }
    }

    /// The download has brought nothing, and is going to be gone on with.
    package func pause() { state.change { state in if state.end == nil { state.end = .paused } } }

    /// Nobody reads on, or whatever comes next is something else. Before anything has come there is nothing to give up.
    package func abandon() {
        state.change { state in if state.end == nil, state.file != nil { state.end = .gone } }
    }

    /// Whether these bytes are the ones that the download has brought, and proven. Waits for its answer, unless they are given up before.
    package func areProven() -> Bool { state.wait { state in state.end.map { $0 == .whole } } }

    /// Whether a later download goes on with these bytes.
    package var arePaused: Bool { state.wait { .some($0.end == .paused) } }

    /// How many are still to come; 0 where nobody knows how many there will be.
    package var missingBytes: Int64 {
        state.wait { state in .some(state.totalBytes.map { max(0, $0 - state.contiguousBytes) } ?? 0) }
    }

    /// The first four bytes; nil before they are there.
    package var head: [UInt8]? {
        state.change { $0.contiguousBytes >= Self.headBytes ? $0.file : nil }.flatMap(Self.head)
    }

    /// How many bytes there will be. Waits until that is known.
    /// - Returns: nil once there will be no more of these bytes.
    package func lengthBytes() throws(SystemError) -> Int64? {
        let known = state.wait { state -> (file: OwnedDescriptor?, totalBytes: Int64?)?? in
            if state.isCut { return .some(nil) }
            return state.totalBytes != nil || state.end == .whole ? (state.file, state.totalBytes) : nil
        }
        guard let known else { return nil }
        if let total = known.totalBytes { return total }
        return try known.file?.status().sizeBytes
    }

    /// Reads the bytes at `offset`, and waits for them where they aren't there yet.
    /// - Parameter fillsBuffer: waits for as many as the buffer has room for, as far as there will be so many.
    /// - Returns: how many were read, 0 at the end; nil once there will be no more of these bytes.
    package func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, fillsBuffer: Bool = false
    ) throws(SystemError) -> Int? {
        guard let part = next(at: offset, atLeast: fillsBuffer ? Int64(buffer.count) : 1) else { return nil }
        let wanted = Int(min(Int64(buffer.count), part.countBytes))
        let count = try part.file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
        // What was read of a file that began anew meanwhile is of either version.
        return state.wait { .some($0.isCut) } ? nil : count
    }

    private func next(at offset: Int64, atLeast count: Int64) -> (file: OwnedDescriptor, countBytes: Int64)? {
        state.wait { state -> (file: OwnedDescriptor, countBytes: Int64)?? in
            if state.isCut { return .some(nil) }
            guard let file = state.file else { return nil }
            // The file says itself where it ends.
            if state.end == .whole { return (file, .max) }
            let rest = state.totalBytes.map { $0 - offset } ?? .max
            let isInEnd = state.endOffset.map { $0 <= offset } ?? false
            let held = isInEnd ? rest : state.contiguousBytes - offset
            // Only the download's answer tells that these were all.
            guard held > 0, held >= min(count, rest) else { return nil }
            return (file, held)
        }
    }
}

extension ByteRangeSet {
    /// From where on there is everything up to the last position; nil where that is missing.
    fileprivate func endOffset(of totalBytes: Int64?) -> Int64? {
        guard let last = ranges.last, last.upperBound == totalBytes else { return nil }
        return last.lowerBound
    }
}
