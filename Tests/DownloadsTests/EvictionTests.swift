import FaultServer
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

/// Looking through the store takes every partial file's lock in turn; nobody who downloads meanwhile may meet one.
@Suite struct BusyStoreTests {
    @Test func lookingThroughTheStoreIsInNobodysWay() async throws {
        let bench = try Workbench()
        for number in 0..<300 {
            bench.server.serve("/\(number)", Resource(.pattern(lengthBytes: 3_000, seed: UInt64(number))))
        }
        // What is gone on with, and so has a record that somebody looks at.
        try await bench.pause()
        let downloader = try bench.downloader { $0.maximumTransfers = 4 }
        let isDone = Locked(false)
        async let looks: Void = {
            while !isDone.withLock({ $0 }) { _ = try await downloader.pausedDownloads() }
        }()
        let failures = await withTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    do {
                        _ = try await downloader.download(try bench.request("/\(number)"))
                        if number == 150 { _ = try await downloader.download(try bench.request()) }
                        return String?.none
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        isDone.withLock { $0 = true }
        try await looks
        #expect(failures == [])
        await downloader.shutDown()
    }
}
