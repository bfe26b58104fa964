import Playlists
import Testing

@testable import Jobs

@Suite struct RangePartsTests {
    private func parts(_ ranges: (Int64, Int64)...) -> RangeParts {
        RangeParts(ranges.compactMap { ByteRange(offset: $0.0, lengthBytes: $0.1) })
    }

    private func description(_ parts: RangeParts) -> [String] {
        parts.parts.map { "\($0.range.offset)-\($0.range.end) \($0.members)" }
    }

    @Test func rangesThatTouchAreOnePart() {
        #expect(description(parts((100, 50), (0, 100), (150, 10))) == ["0-160 [1, 0, 2]"])
    }

    @Test func whatNobodyWantsIsFetchedWhereItIsLessThanARequestCosts() {
        let gap = RangeParts.smallGapBytes
        #expect(description(parts((0, 100), (100 + gap, 100))) == ["0-\(200 + gap) [0, 1]"])
        #expect(description(parts((0, 100), (101 + gap, 100))).count == 2)
    }

    @Test func noPartIsLongerThanTheBoundUnlessARangeIs() {
        let half = RangeParts.longestBytes / 2
        #expect(
            description(parts((0, half), (half, half), (2 * half, half)))
                == ["0-\(2 * half) [0, 1]", "\(2 * half)-\(3 * half) [2]"])
        #expect(description(parts((0, 3 * half))) == ["0-\(3 * half) [0]"])
    }

    /// A part lies on the disk beside what is made of it.
    @Test func aChainOfRangesThatOverlapIsCutAtTheBound() {
        let third = RangeParts.longestBytes / 3
        let ranges = (0..<12).compactMap { ByteRange(offset: $0 * third / 2, lengthBytes: third) }
        let parts = RangeParts(ranges)
        #expect(parts.isReasonable && parts.parts.count > 1)
        #expect(parts.parts.allSatisfy { $0.range.lengthBytes <= RangeParts.longestBytes })
        #expect(parts.parts.flatMap(\.members) == Array(0..<12))
        for part in parts.parts {
            #expect(
                part.members.allSatisfy {
                    part.range.offset <= ranges[$0].offset && ranges[$0].end <= part.range.end
                })
        }
        // As many as make the same bytes come again and again are refused, whatever they are cut into.
        let longest = RangeParts.longestBytes
        #expect(!RangeParts((0..<9).compactMap { ByteRange(offset: $0, lengthBytes: longest) }).isReasonable)
    }

    @Test func bytesMayBeNamedTwiceAndNotAgainAndAgain() {
        #expect(parts((0, 100), (0, 100)).isReasonable)
        #expect(!parts((0, 100), (0, 100), (0, 100)).isReasonable)
        #expect(description(parts((0, 100), (50, 10))) == ["0-100 [0, 1]"])
    }
}
