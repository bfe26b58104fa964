import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// What becomes of a split download that is paused, carried over or killed: every range is kept, and no hole is taken for content.
@Suite struct SplitResumeTests {
    private let bench: Workbench
    private let lengthBytes = Workbench.splitBytes

    init() throws {
        bench = try Workbench(lengthBytes: lengthBytes)
        bench.serveSlowly()
    }

    @Test func aPauseKeepsAllRanges() async throws {
        let end = try bench.serveSlowly(heldFrom: 4_500_000)
        let downloader = try bench.splitDownloader()
        let (token, caller) = downloader.ask(try bench.request())
        try await bench.waitUntilSplit(caller)
        downloader.cancel(token)
        await downloader.shutDown()
        end.open()
        let record = try #require(try bench.stored().record)
        #expect(record.mayHaveHoles && record.flushed == record.held)
        #expect(record.held.countBytes == downloader.statistics.fetchedBytes || record.held.countBytes >= 2_500_000)
        let file = try bench.stored().bytes
        for range in record.held.ranges {
            let (lower, upper) = (Int(range.lowerBound), Int(range.upperBound))
            #expect(
                contentDifference(
                    bench.content.bytes(at: UInt64(lower), count: upper - lower), Array(file[lower..<upper])) == nil)
        }

        let again = try bench.splitDownloader()
        let resumed = try await again.answer(to: bench.request())
        try await bench.expectContent(resumed)
        #expect(resumed.resumed == [record.held.countBytes])
        #expect(again.statistics.resumedBytes == record.held.countBytes)
    }

    @Test func holesAreFilledOverOneConnectionToo() async throws {
        let end = try bench.serveSlowly(heldFrom: 4_500_000)
        let downloader = try bench.splitDownloader()
        let (token, caller) = downloader.ask(try bench.request())
        try await bench.waitUntilSplit(caller)
        downloader.cancel(token)
        await downloader.shutDown()
        end.open()
        let held = try #require(try bench.stored().record).held
        let again = try bench.splitDownloader { $0.split.maximumConnections = 1 }
        try await bench.expectContent(try await again.answer(to: bench.request()))
        #expect(again.statistics.fetchedBytes == Int64(lengthBytes) - held.countBytes, "no byte twice")
    }

    /// As a kill leaves it: bytes beyond what the record knows, and a length that says nothing.
    @Test func aHoleIsNeverTakenForContent() async throws {
        try await bench.pause()
        let name = try bench.storedNames()[0]
        var record = try #require(try bench.stored().record)
        (record.held, record.flushed, record.mayHaveHoles) = ([0..<1_000_000, 3_000_000..<3_500_000], [], true)
        try bench.folder.write(record.encoded, to: "partial/\(name).resume")
        var bytes = [UInt8](repeating: 0, count: 5_000_000)
        for range in [0..<1_000_000, 3_000_000..<3_500_000] {
            bytes.replaceSubrange(range, with: bench.content.bytes(at: UInt64(range.lowerBound), count: range.count))
        }
        try bench.folder.write(bytes, to: "partial/\(name)")
        let caller = try await bench.splitDownloader().answer(to: bench.request())
        try await bench.expectContent(caller)
        #expect(caller.resumed == [1_500_000])
        #expect(bench.ranges().contains("bytes=1000000-2999999"))
    }

    /// A server that doesn't know where a range ends sends more than there is to be taken, which counts for nothing.
    @Test func whatIsLeftOutSpendsNoBudget() async throws {
        try await bench.pause()
        let content = bench.content
        bench.serveSlowly { request, reply in
            guard reply.status == 206, let range = reply.headers["Content-Range"] else { return reply }
            let first = UInt64(range.drop { $0 != " " }.dropFirst().prefix { $0 != "-" }) ?? 0
            return reply.body(content.slice(first..<content.lengthBytes))
                .header("Content-Range", "bytes \(first)-\(content.lengthBytes - 1)/\(content.lengthBytes)")
        }
        let name = try bench.storedNames()[0]
        var record = try #require(try bench.stored().record)
        (record.held, record.flushed, record.mayHaveHoles) = ([0..<1_000_000, 1_000_100..<6_000_000], [], true)
        try bench.folder.write(record.encoded, to: "partial/\(name).resume")
        try bench.folder.write(content.bytes(), to: "partial/\(name)")
        let request = try bench.request { $0.budgetBytes = Int64(lengthBytes) }
        try await bench.expectContent(try await bench.splitDownloader().answer(to: request))
    }

    /// What is held from an earlier boot is flushed, and what comes now is in the kernel's keeping: a kill costs nothing of either.
    @Test func whatAnEarlierBootHeldIsRecordedAnew() async throws {
        try await bench.pause()
        let name = try #require(try bench.storedNames().first { $0.hasSuffix(".resume") })
        var record = try #require(try bench.stored().record)
        record.bootID = "another"
        try bench.folder.write(record.encoded, to: "partial/\(name)")
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 500_000) }])
        let downloader = try bench.splitDownloader { $0.split.maximumConnections = 1 }
        let (_, caller) = downloader.ask(try bench.request())
        try await caller.waitForBytes(record.held.countBytes + 500_000)
        let now = try #require(try bench.stored().record)
        #expect(now.bootID == BootIdentity.current)
        await downloader.shutDown()
    }

    /// Each hole would cost a request.
    @Test func aRecordOfThousandsOfRangesIsNotTakenAtItsWord() async throws {
        try await bench.pause()
        let name = try bench.storedNames()[0]
        var record = try #require(try bench.stored().record)
        let ranges = (0..<3_000).map { Int64($0) * 2000..<Int64($0) * 2000 + 1000 }
        (record.held, record.flushed, record.mayHaveHoles) = ([], [], true)
        // No program of ours writes so many.
        let text = String(decoding: record.encoded, as: UTF8.self)
        let pairs = ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",")
        let forged = text.split(separator: "\"ranges\": []", maxSplits: 1).joined(separator: "\"ranges\": [\(pairs)]")
        try bench.folder.write(Array(forged.utf8), to: "partial/\(name).resume")
        try bench.folder.write(bench.content.bytes(), to: "partial/\(name)")
        let caller = try await bench.splitDownloader().answer(to: bench.request())
        try await bench.expectContent(caller)
        #expect(caller.resumed == [128_000])
        #expect(bench.server.exchanges("/a").count < 160)
    }

    @Test func aNewSessionCarriesEveryRangeOver() async throws {
        let end = try bench.serveSlowly(heldFrom: 4_500_000)
        let downloader = try bench.splitDownloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await bench.waitUntilSplit(caller)
        var configuration = DownloaderConfiguration()
        configuration.session.userAgent = "another"
        try await downloader.reconfigure(configuration)
        end.open()
        try await bench.expectContent(caller)
        #expect(caller.resumed.count == 1 && (caller.resumed.first ?? 0) >= 2_500_000)
        #expect(caller.retries.isEmpty)
    }
}
