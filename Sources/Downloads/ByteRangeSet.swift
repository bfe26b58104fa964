/// Positions in a file: ranges in order that neither touch nor overlap, none of them empty, none before 0.
struct ByteRangeSet: Hashable, Sendable {
    private(set) var ranges: [Range<Int64>] = []

    init(_ ranges: some Sequence<Range<Int64>> = []) {
        for range in ranges { insert(range) }
    }

    /// The first so many positions.
    init(prefixBytes: Int64) { self.init([0..<max(0, prefixBytes)]) }

    /// How many positions there are from 0 without a gap.
    var contiguousBytes: Int64 { ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0 }

    /// How many positions there are in all. They are different ones, so their number is in range.
    var countBytes: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

    /// The position behind the last one.
    var upperBound: Int64 { ranges.last?.upperBound ?? 0 }

    /// Adds positions, some of which may be there already.
    /// - Complexity: O(the number of ranges).
    mutating func insert(_ range: Range<Int64>) {
        let range = range.clamped(to: 0..<Int64.max)
        guard !range.isEmpty else { return }
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
        let last = ranges[first...].firstIndex { $0.lowerBound > range.upperBound } ?? ranges.endIndex
        let touched = ranges[first..<last]
        let lower = min(range.lowerBound, touched.first?.lowerBound ?? .max)
        let upper = max(range.upperBound, touched.last?.upperBound ?? .min)
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(lower..<upper))
    }

    /// Adds the positions of another set.
    mutating func formUnion(_ other: ByteRangeSet) {
        for range in other.ranges { insert(range) }
    }

    /// At most so many of the ranges: the one at the start of the file, and the longest.
    func limited(to count: Int) -> ByteRangeSet {
        guard ranges.count > count else { return self }
        let first = contiguousBytes > 0 ? ranges.prefix(1) : []
        let others = ranges.dropFirst(first.count).sorted { $0.count > $1.count }.prefix(max(0, count - first.count))
        return ByteRangeSet(first + others)
    }

    /// Takes positions out, some of which may not be there.
    mutating func remove(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let (before, behind) = (Int64.min..<range.lowerBound, range.upperBound..<Int64.max)
        ranges = ranges.flatMap { [$0.clamped(to: before), $0.clamped(to: behind)] }.filter { !$0.isEmpty }
    }

    /// What is missing between two positions, in order.
    func gaps(in bounds: Range<Int64>) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var position = bounds.lowerBound
        for range in ranges where range.upperBound > position {
            guard range.lowerBound < bounds.upperBound else { break }
            if range.lowerBound > position { gaps.append(position..<range.lowerBound) }
            position = range.upperBound
        }
        if position < bounds.upperBound { gaps.append(position..<bounds.upperBound) }
        return gaps
    }

    /// The positions that are in another set as well.
    func intersection(_ other: ByteRangeSet) -> ByteRangeSet {
        ByteRangeSet(ranges.flatMap { range in other.ranges.map { $0.clamped(to: range) } })
    }
}

extension ByteRangeSet: ExpressibleByArrayLiteral {
    init(arrayLiteral ranges: Range<Int64>...) { self.init(ranges) }
}
