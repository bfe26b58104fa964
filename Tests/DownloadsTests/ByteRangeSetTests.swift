import Testing

@testable import Downloads

/// Positions in a file: ranges that meet become one.
@Suite struct ByteRangeSetTests {
    @Test(
        arguments: [
            ([], 5..<5, []), ([], 0..<3, [0..<3]), ([0..<3], 3..<5, [0..<5]), ([5..<9], 0..<5, [0..<9]),
            ([0..<3], 4..<5, [0..<3, 4..<5]), ([0..<9], 2..<4, [0..<9]), ([2..<4], 0..<9, [0..<9]),
            ([0..<2, 4..<6, 8..<10], 1..<9, [0..<10]), ([0..<2, 4..<6, 8..<10], 2..<4, [0..<6, 8..<10]),
            ([0..<2, 8..<10], 4..<6, [0..<2, 4..<6, 8..<10]), ([4..<6], 0..<2, [0..<2, 4..<6]),
            ([0..<2], -5..<1, [0..<2]), ([], -5 ..< -1, []),
            ([0..<1], Int64.max - 1..<Int64.max, [0..<1, Int64.max - 1..<Int64.max]),
            ([0..<5], 0..<Int64.max, [0..<Int64.max]),
        ] as [([Range<Int64>], Range<Int64>, [Range<Int64>])])
    func whatOverlapsOrTouchesIsOne(_ old: [Range<Int64>], _ new: Range<Int64>, _ result: [Range<Int64>]) {
        var set = ByteRangeSet(old)
        set.insert(new)
        #expect(set.ranges == result)
        #expect(set.countBytes == result.reduce(0) { $0 + Int64($1.count) })
    }

    @Test(
        arguments: [
            ([], 0..<9, [0..<9]), ([0..<9], 0..<9, []), ([2..<4], 0..<9, [0..<2, 4..<9]), ([0..<4], 0..<9, [4..<9]),
            ([5..<9], 0..<9, [0..<5]), ([0..<20], 3..<9, []), ([1..<2, 4..<5, 30..<40], 3..<9, [3..<4, 5..<9]),
            ([1..<2], 5..<5, []), ([0..<7], 0..<Int64.max, [7..<Int64.max]),
        ] as [([Range<Int64>], Range<Int64>, [Range<Int64>])])
    func gapsAreWhatIsMissing(_ ranges: [Range<Int64>], _ bounds: Range<Int64>, _ gaps: [Range<Int64>]) {
        #expect(ByteRangeSet(ranges).gaps(in: bounds) == gaps)
    }

    @Test func onlyWhatBeginsAtTheStartIsContiguous() {
        #expect(([0..<4, 6..<8] as ByteRangeSet).contiguousBytes == 4)
        #expect(([1..<4] as ByteRangeSet).contiguousBytes == 0)
        #expect(ByteRangeSet().contiguousBytes == 0)
        #expect(ByteRangeSet(prefixBytes: -1) == [])
    }

    @Test func anIntersectionHasWhatBothHave() {
        let set: ByteRangeSet = [0..<4, 6..<8, 10..<20]
        #expect(set.intersection([3..<7, 19..<30]) == [3..<4, 6..<7, 19..<20])
        #expect(set.intersection([]) == [])
        #expect(set.intersection([4..<6]) == [])
    }

    @Test func whatIsTakenOutIsMissing() {
        var set: ByteRangeSet = [0..<10, 20..<30, 40..<50]
        set.remove(5..<45)
        #expect(set == [0..<5, 45..<50])
        set.remove(1..<2)
        #expect(set == [0..<1, 2..<5, 45..<50])
        set.remove(7..<7)
        set.remove(0..<Int64.max)
        #expect(set == [])
    }
}
