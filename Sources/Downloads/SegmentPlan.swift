/// Which bytes of an asset are held, and which connection fetches which of the others, as a value.
///
/// What is to be fetched is handed out from the front, in pieces, so that the digest, which is taken in order, is never far behind. When nothing
/// is left to be handed out, the longest piece that is under way is divided.
struct SegmentPlan {
    /// What is on the disk.
    private(set) var held: ByteRangeSet
    /// The asset's length; nil while nobody knows it.
    private(set) var totalBytes: Int64?
    private var segments: [ConnectionID: Segment] = [:]

    /// What one connection is to bring.
    private struct Segment {
        let start: Int64
        /// All before it is on the disk.
        var written: Int64
        /// All before it is on the disk or being written.
        var next: Int64
        var end: Int64

        var remainingBytes: Int64 { end - next }
        /// Whether the connection has brought any of it.
        var hasBytes: Bool { next > start }
    }

    /// No piece is made smaller than this: it would cost more than it brings.
    let minimumBytes: Int64
    /// What a connection brings in the time that it takes until another request's first byte comes.
    var requestCostBytes: Int64 = 0

    init(held: ByteRangeSet, totalBytes: Int64?, minimumBytes: Int64) {
        self.held = held
        self.totalBytes = totalBytes
        self.minimumBytes = max(1, minimumBytes)
    }

    private var end: Int64 { totalBytes ?? .max }

    var missingBytes: Int64 { max(0, end - held.countBytes) }
    /// Whether every byte is held, as far as the length is known.
    var isComplete: Bool { totalBytes.map { held.contiguousBytes >= $0 } ?? false }

    /// Notes how long the asset turned out to be.
    mutating func setTotal(_ totalBytes: Int64) { self.totalBytes = totalBytes }

    // MARK: Handing out

    /// What nobody holds or fetches.
    private var free: [Range<Int64>] {
        var taken = held
        for segment in segments.values { taken.insert(segment.written..<segment.end) }
        return taken.gaps(in: 0..<end)
    }

    /// The longest segment that is worth being divided.
    private var divisible: (id: ConnectionID, segment: Segment)? {
        let longest = segments.max {
            ($0.value.remainingBytes, $1.key.number) < ($1.value.remainingBytes, $0.key.number)
        }
        guard let longest, longest.value.remainingBytes / 2 >= max(minimumBytes, requestCostBytes)
        else { return nil }
        return (longest.key, longest.value)
    }

    /// Whether there is anything for one connection more.
    var hasWork: Bool { divisible != nil || !free.isEmpty }

    /// Whether something is left that nobody has taken on.
    var hasFreeWork: Bool { !free.isEmpty }

    /// Gives a connection, which has nothing to do, all that is missing from the first missing byte up to the next that is held.
    /// - Returns: what it is to bring; empty when nothing is missing.
    mutating func takeFirstGap(for id: ConnectionID) -> Range<Int64> {
        let start = held.contiguousBytes
        return assign(held.gaps(in: start..<max(start, end)).first ?? start..<start, to: id)
    }

    /// Gives a connection, which has nothing to do, its next piece.
    /// - Parameter pieceBytes: how long it is meant to be.
    /// - Returns: what it is to bring; nil when there is nothing for it.
    mutating func take(for id: ConnectionID, pieceBytes: Int64) -> Range<Int64>? {
        let piece = max(minimumBytes, pieceBytes)
        let free = free.first ?? divide(piece)
        return free.map { assign(Self.beginning(of: $0, piece, minimumBytes), to: id) }
    }

    /// Takes the rear of the longest segment away from it.
    private mutating func divide(_ piece: Int64) -> Range<Int64>? {
        guard let (id, segment) = divisible else { return nil }
        // So that both come to their ends at the same time.
        let middle = segment.next + min(piece, segment.remainingBytes / 2 + requestCostBytes / 2)
        segments[id]?.end = middle
        return middle..<segment.end
    }

    /// A piece of that length from the front of a range; all of it where next to nothing would be left.
    private static func beginning(of range: Range<Int64>, _ piece: Int64, _ minimum: Int64) -> Range<Int64> {
        let length = range.upperBound - range.lowerBound
        return length - min(length, piece) < minimum ? range : range.lowerBound..<range.lowerBound + piece
    }

    /// What is missing of the asset's end, and the connection that would come to it in its turn; nil when nothing is missing there, or somebody is
    /// bringing it.
    private func freeEnd(countBytes: Int64) -> (gap: Range<Int64>, inTurnOf: ConnectionID?)? {
        guard let totalBytes, let gap = held.gaps(in: max(0, totalBytes - countBytes)..<totalBytes).last else {
            return nil
        }
        let bringing = segments.filter { $0.value.start < gap.upperBound && $0.value.end > gap.lowerBound }
        guard bringing.count <= 1, bringing.values.allSatisfy({ $0.next < gap.lowerBound }) else { return nil }
        return (gap, bringing.keys.first)
    }

    /// Whether there is anything for one that is to bring the asset's end.
    func lacksEnd(countBytes: Int64) -> Bool { freeEnd(countBytes: countBytes) != nil }

    /// Gives a connection, which has nothing to do, what is missing of the asset's end, ahead of its turn.
    /// - Parameter countBytes: how long that end is.
    /// - Returns: what it is to bring; nil when there is nothing for it.
    mutating func takeEnd(for id: ConnectionID, countBytes: Int64) -> Range<Int64>? {
        guard let (gap, other) = freeEnd(countBytes: countBytes) else { return nil }
        if let other { segments[other]?.end = gap.lowerBound }
        return assign(gap, to: id)
    }

    /// Gives a connection, which has nothing to do, all that another one was still to bring.
    /// - Returns: what that is; nil when there is nothing.
    mutating func takeOver(from other: ConnectionID, for id: ConnectionID) -> Range<Int64>? {
        guard let segment = segments[other], segment.remainingBytes > 0 else { return nil }
        segments[other]?.end = segment.next
        return assign(segment.next..<segment.end, to: id)
    }

    private mutating func assign(_ range: Range<Int64>, to id: ConnectionID) -> Range<Int64> {
        segments[id] = Segment(
            start: range.lowerBound, written: range.lowerBound, next: range.lowerBound, end: range.upperBound)
        return range
    }

    // MARK: Bytes

    /// What of some bytes that a connection brought is to be written, and where.
    struct Share: Hashable {
        let position: Int64
        let countBytes: Int64
        /// Whether there are more of them than the whole asset has.
        let isPastTheEnd: Bool
    }

    /// Notes that a connection has brought bytes, which are now to be written.
    mutating func reserve(_ id: ConnectionID, countBytes: Int64) -> Share {
        guard let segment = segments[id] else { return Share(position: 0, countBytes: 0, isPastTheEnd: false) }
        let count = min(countBytes, segment.remainingBytes)
        segments[id]?.next += count
        return Share(
            position: segment.next, countBytes: count, isPastTheEnd: count < countBytes && segment.end == end)
    }

    /// Notes that what was reserved is written.
    mutating func commit(_ id: ConnectionID) {
        guard let segment = segments[id] else { return }
        held.insert(segment.written..<segment.next)
        segments[id]?.written = segment.next
    }

    /// Lets a connection that brings more than it was to bring go on with what lies behind that: what nobody holds or fetches, what another one was
    /// to fetch that has brought nothing of it yet or is much slower, and what is held but is so little that another request would cost more than to
    /// bring it again.
    /// - Parameters:
    ///   - countBytes: what it brings next.
    ///   - limit: how far its request goes.
    ///   - isSlower: whether another connection would take longer for what it has still to bring than this one for all of that, both in bytes.
    /// - Returns: the connections that have nothing to do any more.
    mutating func extend(
        _ id: ConnectionID, by countBytes: Int64, upTo limit: Int64,
        isSlower: (ConnectionID, Int64, Int64) -> Bool = { _, _, _ in false }
    ) -> [ConnectionID] {
        var overtaken: [ConnectionID] = []
        while let segment = segments[id], segment.written < segment.end, countBytes >= segment.remainingBytes,
            segment.end < limit
        {
            let end = segment.end
            if let next = free.first(where: { $0.lowerBound == end }) {
                segments[id]?.end = min(next.upperBound, limit)
            } else if let (other, its) = overtakable(at: end, isSlower), its.end <= limit {
                held.remove(its.start..<its.written)
                segments[other] = nil
                segments[id]?.end = its.end
                overtaken.append(other)
            } else if let island = held.ranges.first(where: { $0.lowerBound == end }),
                island.upperBound - end <= requestCostBytes, island.upperBound < limit,
                free.contains(where: { $0.lowerBound == island.upperBound })
                    || overtakable(at: island.upperBound, isSlower) != nil
            {
                // It lies behind a gap, so nobody has read it yet.
                held.remove(island)
            } else {
                break
            }
        }
        return overtaken
    }

    /// Who was to fetch what begins there, if its work is better done by the one that comes along. Never while some of it is being written.
    private func overtakable(
        at position: Int64, _ isSlower: (ConnectionID, Int64, Int64) -> Bool
    ) -> (ConnectionID, Segment)? {
        guard let (id, segment) = segments.first(where: { $0.value.start == position && $0.value.end > position }),
            segment.written == segment.next
        else { return nil }
        guard segment.hasBytes else { return (id, segment) }
        let again = segment.next - segment.start
        return again <= requestCostBytes && isSlower(id, segment.remainingBytes, segment.end - segment.start)
            ? (id, segment) : nil
    }

    /// What a connection has still to bring, beyond what is being written.
    func remainingBytes(of id: ConnectionID) -> Int64 { segments[id]?.remainingBytes ?? 0 }

    /// Where a connection has come to, and where it is to stop; nil when it has nothing to do.
    func segment(of id: ConnectionID) -> (position: Int64, end: Int64)? {
        segments[id].map { ($0.written, $0.end) }
    }

    /// Takes from a connection what it hasn't brought.
    mutating func release(_ id: ConnectionID) { segments[id] = nil }
}
