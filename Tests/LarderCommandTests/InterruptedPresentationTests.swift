import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// Copies of presentations that were cut short, and how the next run goes on.
@Suite struct InterruptedPresentationTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    /// As when a run is killed between the store and the publication.
    @Test func whatIsInTheStoreAndNotPublishedIsFoundThere() async throws {
        stock.serveSegments(0..<5)
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<5))
        stock.serveFilm("f/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        #expect(unlink(stock.library + "/current") == 0)
        try Directory.open(stock.library).removeTree("generations/000001")
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(stock.sentCounts(0..<5) == [1, 1, 1, 1, 1])
        #expect(try stock.filmSegments() == (0..<5).map { stream($0) })
    }

    @Test func equalSegmentsOfDifferentNamesAreAllTakenOver() async throws {
        for number in 0..<4 { stock.serve("/f/s\(number).ts", stream(7)) }
        stock.server.script("/f/s3.ts", [.reply(.errorPage(404))])
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<4))
        stock.serveFilm("f/index.m3u8")
        #expect(try await stock.sync("--jobs", "1").status == .exited(1))
        #expect(try await stock.sync("--jobs", "1").status == .exited(0))
        #expect(stock.sentCounts(0..<4) == [1, 1, 1, 1])
    }

    @Test func killsAtAnyMomentCostNoMoreThanWhatWasUnderWay() async throws {
        let count = 300
        stock.serveSegments(0..<count)
        stock.serve("/f/index.m3u8", text: mediaPlaylist(0..<count))
        stock.serveFilm("f/index.m3u8")
        var generator = Seed.generator(for: "killed presentation")
        let kills = (1...5).map { $0 * count / 7 + Int.random(in: 0..<20, using: &generator) }
        for moment in kills {
            let run = try stock.startSync("--jobs", "4")
            try await waitUntil("segment \(moment)") {
                stock.requestCounts(0..<count).count { $0 > 0 } >= moment
            }
            run.kill(SIGKILL)
            _ = try await run.waitForExit()
        }
        let last = try await stock.sync("--json")
        #expect(last.status == .exited(0), "\(last)")
        #expect(try stock.filmSegments() == (0..<count).map { stream($0) })
        // Four transfers, and as many that were whole and not yet in their places.
        let twice = stock.sentCounts(0..<count).reduce(0) { $0 + $1 - 1 }
        #expect(twice <= kills.count * 8, "\(twice) requests more than segments")
    }
}
