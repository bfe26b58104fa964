import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// One asset over several connections: faster where that helps, and every promise of a single one kept.
@Suite struct SplitDownloadTests {
    private let bench: Workbench
    private let lengthBytes: UInt64 = 6_000_000

    init() throws {
        bench = try Workbench(lengthBytes: lengthBytes)
        serveSlowly("/a")
    }

    /// Each connection is held to two megabytes a second: three seconds for one, and well under one for eight.
    private func serveSlowly(
        _ path: String, _ change: @escaping @Sendable (Request, Reply) -> Reply = { $1 },
        _ resource: (inout Resource) -> Void = { _ in }
    ) {
        var own = Resource(bench.content).altered { change($0, $1.paced(bytesPerSecond: 2_000_000)) }
        resource(&own)
        bench.server.serve(path, own)
    }

    private func downloader(_ change: (inout DownloaderConfiguration) -> Void = { _ in }) throws -> Downloader {
        try bench.downloader { configuration in
            configuration.split.minimumRemaining = .milliseconds(50)
            configuration.split.minimumRemainingBytes = 500_000
            configuration.split.minimumPieceBytes = 200_000
            configuration.split.measuringTime = .milliseconds(100)
            configuration.split.pieceTime = .milliseconds(500)
            change(&configuration)
        }
    }

    private func expectContent(_ caller: RecordingCaller) async throws {
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(try await caller.answer().file?.digest == bench.digest)
    }

    private func ranges(_ path: String = "/a") -> [String] {
        bench.server.exchanges(path).compactMap { $0.request["Range"] }
    }

    private func connectionCount(_ path: String = "/a") -> Int {
        Set(bench.server.exchanges(path).map(\.request.connection)).count
    }

    @Test func aSlowServerIsAskedForSeveralRangesAtOnce() async throws {
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await expectContent(caller)
        #expect(connectionCount() >= 4)
        #expect(bench.server.exchanges("/a").dropFirst().allSatisfy { $0.request["If-Range"] == "\"v1\"" })
        #expect(caller.retries.isEmpty)
        #expect(caller.events.events.count { if case .started = $0 { true } else { false } } == 1)
        let received = caller.progress.map(\.receivedBytes)
        #expect(received == received.sorted() && received.last == Int64(lengthBytes))
    }

    @Test func oneConnectionIsOne() async throws {
        let downloader = try downloader { $0.split.maximumConnections = 1 }
        try await expectContent(try await downloader.answer(to: bench.request()))
        #expect(bench.wire() == ["200"])
    }

    @Test func noMoreConnectionsThanAreAllowed() async throws {
        let downloader = try downloader { $0.split.maximumConnections = 3 }
        let (_, caller) = downloader.ask(try bench.request())
        try await bench.server.waitForConnections(3)
        try await expectContent(caller)
    }

    /// It can't be told whether ranges belong together, or the server doesn't do them.
    @Test(arguments: [false, true]) func whatHasNoValidatorOrNoRangesIsNotSplit(hasValidator: Bool) async throws {
        serveSlowly("/b", { $1 }) { resource in
            resource.lastModified = nil
            if hasValidator { resource.ranges = .ignored } else { resource.etag = nil }
        }
        try await expectContent(try await downloader().answer(to: bench.request("/b")))
        #expect(bench.wire("/b") == ["200"])
    }

    @Test(arguments: [Resource.RangeSupport.ignored, .ignoredIfConditional])
    func aServerThatSendsTheWholeToASecondRequestIsAskedNoFurther(_ support: Resource.RangeSupport) async throws {
        serveSlowly("/b", { $1.header("Accept-Ranges", "bytes") }) { $0.ranges = support }
        let caller = try await downloader().answer(to: bench.request("/b"))
        try await expectContent(caller)
        #expect(bench.server.bodyBytesSent("/b") < 2 * lengthBytes)
        #expect(caller.retries.isEmpty)
        #expect(bench.server.exchanges("/b").first?.end == .complete, "the first one brought it all")
        #expect(bench.server.exchanges("/b").count <= 6, "each was asked once")
    }

    @Test func versionsAreNeverMixed() async throws {
        let other = Content.pattern(lengthBytes: lengthBytes, seed: 99)
        for support in [Resource.RangeSupport.honoured, .honouredUnconditionally] {
            let path = "/\(support)"
            serveSlowly(path)
            let changed = Resource(other, etag: "\"v2\"").ranges(support).altered {
                $1.paced(bytesPerSecond: 9_000_000)
            }
            bench.server.script(path, [.own, .own, .become(changed)])
            let bytes = try await downloader().answer(to: bench.request(path)).bytes()
            #expect(bytes == bench.content.bytes() || bytes == other.bytes(), "one version, not a mixture")
        }
    }

    @Test func aRangeThatIsLostIsFetchedByAnother() async throws {
        serveSlowly("/b") { request, reply in
            request.number == 3 ? reply.cut(afterBytes: 100_000, .reset) : reply
        }
        let downloader = try downloader()
        let caller = try await downloader.answer(to: bench.request("/b"))
        try await expectContent(caller)
        #expect(caller.retries.isEmpty)
    }

    @Test func theFirstConnectionMayBeLostAsWell() async throws {
        serveSlowly("/b") { request, reply in
            request.number == 1 ? reply.cut(afterBytes: 900_000, .reset) : reply
        }
        try await expectContent(try await downloader().answer(to: bench.request("/b")))
        #expect(bench.server.bodyBytesSent("/b") < lengthBytes + 3_000_000)
    }

    @Test func mirrorsShareTheWorkAndOneMayDie() async throws {
        serveSlowly("/b")
        serveSlowly("/c", { $1.cut(afterBytes: 150_000) })
        bench.server.serve("/d", always: .errorPage(404))
        let request = try bench.request("/a", mirrors: ["/b", "/c", "/d"]) { $0.digest = bench.digest }
        let caller = try await downloader().answer(to: request)
        try await expectContent(caller)
        #expect(caller.retries.isEmpty)
        #expect(!ranges("/b").isEmpty)
        #expect(bench.server.exchanges("/d").count <= 1, "a source without it is asked once")
    }

    @Test func aMirrorOfOtherBytesIsFoundOut() async throws {
        bench.server.serve(
            "/b",
            Resource(.pattern(lengthBytes: lengthBytes, seed: 5)).altered { $1.paced(bytesPerSecond: 2_000_000) })
        let request = try bench.request("/a", mirrors: ["/b"]) { $0.digest = bench.digest }
        try await expectContent(try await downloader().answer(to: request))
    }

    // MARK: Pause, resume, rebuild

    private func waitUntilSplit(_ caller: RecordingCaller, atBytes bytes: Int64 = 2_500_000) async throws {
        try await bench.server.wait(for: "several connections") { log in
            Set(log.map(\.request.connection)).count >= 3 ? () : nil
        }
        try await caller.waitForBytes(bytes)
    }

    @Test func aPauseKeepsAllRanges() async throws {
        let downloader = try downloader()
        let (token, caller) = downloader.ask(try bench.request())
        try await waitUntilSplit(caller)
        downloader.cancel(token)
        await downloader.shutDown()
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

        let again = try self.downloader()
        let resumed = try await again.answer(to: bench.request())
        try await expectContent(resumed)
        #expect(resumed.resumed == [record.held.countBytes])
        #expect(again.statistics.resumedBytes == record.held.countBytes)
    }

    @Test func holesAreFilledOverOneConnectionToo() async throws {
        let downloader = try downloader()
        let (token, caller) = downloader.ask(try bench.request())
        try await waitUntilSplit(caller)
        downloader.cancel(token)
        await downloader.shutDown()
        let held = try #require(try bench.stored().record).held
        let again = try self.downloader { $0.split.maximumConnections = 1 }
        try await expectContent(try await again.answer(to: bench.request()))
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
        let caller = try await downloader().answer(to: bench.request())
        try await expectContent(caller)
        #expect(caller.resumed == [1_500_000])
        #expect(ranges().contains("bytes=1000000-2999999"))
    }

    @Test func aNewSessionCarriesEveryRangeOver() async throws {
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await waitUntilSplit(caller)
        var configuration = DownloaderConfiguration()
        configuration.session.userAgent = "another"
        try await downloader.reconfigure(configuration)
        try await expectContent(caller)
        #expect(caller.resumed.count == 1 && (caller.resumed.first ?? 0) >= 2_500_000)
        #expect(caller.retries.isEmpty)
    }

    @Test func aLowerLimitTakesConnectionsBack() async throws {
        let downloader = try downloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await waitUntilSplit(caller, atBytes: 1_000_000)
        var configuration = DownloaderConfiguration()
        configuration.split.maximumConnections = 1
        try await downloader.reconfigure(configuration)
        try await expectContent(caller)
        #expect(caller.retries.isEmpty)
        #expect(caller.resumed.isEmpty, "it runs on")
    }

    @Test func whoWaitsGoesFirst() async throws {
        bench.server.serve("/small", Resource(.text("small")))
        let downloader = try downloader { $0.maximumTransfers = 4 }
        let (_, caller) = downloader.ask(try bench.request())
        try await bench.server.waitForConnections(4)
        let small = try await downloader.answer(to: bench.request("/small"))
        #expect(try await small.bytes() == Array("small".utf8))
        #expect(caller.answers.events.isEmpty, "the large one still runs")
        try await expectContent(caller)
    }

    @Test func theBudgetHoldsForAllOfThem() async throws {
        serveSlowly("/b", { $1.chunked() })
        let request = try bench.request("/b") { $0.budgetBytes = 5_999_999 }
        let caller = try await downloader().answer(to: request)
        #expect(try await caller.answer().code == .overBudget)
    }
}
