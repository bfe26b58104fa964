import Platform
import Testing

@testable import Downloads

/// Which paused downloads go when the disk is short of room.
@Suite struct EvictionTests {
    private func candidate(_ name: RelativePath, _ bytes: Int64, paused: Int64, isWanted: Bool = false)
        -> Eviction.Candidate
    {
        Eviction.Candidate(name: name, bytes: bytes, paused: Timestamp(seconds: paused), isWanted: isWanted)
    }

    private func chosen(_ shortageBytes: Int64) -> [String] {
        Eviction(
            of: [
                candidate("wanted", 100, paused: 1, isWanted: true), candidate("young", 30, paused: 9),
                candidate("old", 20, paused: 2), candidate("empty", 0, paused: 0),
            ], freeing: shortageBytes
        ).chosen.map { "\($0.name)" }
    }

    @Test(
        arguments: [
            (0, []), (1, ["old"]), (20, ["old"]), (21, ["old", "young"]), (50, ["old", "young"]),
            (51, ["old", "young", "wanted"]), (150, ["old", "young", "wanted"]), (151, []), (.max, []),
        ] as [(Int64, [String])])
    func theOldestGoFirstTheWantedLastAndNoneInVain(shortageBytes: Int64, expected: [String]) {
        #expect(chosen(shortageBytes) == expected)
    }
}
