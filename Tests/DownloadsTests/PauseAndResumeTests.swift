import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// Callers cancel; the downloader pauses. Asking again resumes.
@Suite struct PauseAndResumeTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test func aCompleteDownloadHasTheServersBytes() async throws {
        let downloader = try bench.downloader()
        let file = try await downloader.download(bench.request())
        #expect(contentDifference(bench.content.bytes(), try file.bytes(limitBytes: 4_000_000)) == nil)
        #expect(file.digest == SHA256.digest(of: bench.content.bytes()))
        #expect(file.resumedBytes == 0)
        #expect(downloader.statistics.fetchedBytes == 3_000_000)
    }

    @Test func aCancelledDownloadGoesOnWhereItWasPaused() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try bench.downloader()
        let recorder = EventRecorder<DownloadEvent>()
        let answers = EventRecorder<DownloadError.Code?>()
        let token = downloader.download(try bench.request(), events: recorder.record) { result in
            if case .failure(let error) = result { answers.record(error.code) } else { answers.record(nil) }
        }
        _ = try await recorder.first("a million bytes on the disk") { event in
            if case .progress(let progress) = event { return progress.receivedBytes == 1_000_000 }
            return false
        }
        downloader.cancel(token)
        _ = try await answers.events(atLeast: 1)
        #expect(answers.events == [.cancelled])

        let again = EventRecorder<DownloadEvent>()
        let file = try await downloader.download(bench.request(), events: again.record)
        #expect(contentDifference(bench.content.bytes(), try file.bytes(limitBytes: 4_000_000)) == nil)
        #expect(file.resumedBytes == 1_000_000)
        let resumed = again.events.compactMap { if case .resumed(let offset) = $0 { offset } else { nil } }
        #expect(resumed == [1_000_000])
        #expect(bench.server.log.map(\.status) == [200, 206])
        #expect(bench.server.log.last?.request.headers["Range"] == "bytes=1000000-")
        #expect(bench.server.log.last?.request.headers["If-Range"] == "\"v1\"")
        #expect(downloader.statistics.fetchedBytes == 3_000_000)
        #expect(downloader.statistics.resumedBytes == 1_000_000)
    }

    @Test func aLostConnectionGoesOnWithoutTheCallerNoticing() async throws {
        bench.server.script(
            "/a", [.altered { $0.cut(afterBytes: 1_700_000) }, .altered { $0.cut(afterBytes: 300_000) }])
        let downloader = try bench.downloader()
        let file = try await downloader.download(bench.request())
        #expect(contentDifference(bench.content.bytes(), try file.bytes(limitBytes: 4_000_000)) == nil)
        #expect(bench.server.bodyBytesSent("/a") == 3_000_000)
    }

    /// Sixteen gigabytes that are held, to be read for a digest: with bytes to come, and with none.
    @Test(arguments: [777, 0]) func readingWhatIsHeldKeepsNobodyWaitingAndCanBeStopped(_ missingBytes: Int64)
        async throws
    {
        let content = Content.pattern(lengthBytes: 16 << 30, seed: 3)
        bench.server.serve("/huge", Resource(content))
        let request = try bench.request("/huge") { $0.digest = bench.digest }
        try await bench.pause(request, atBytes: 100_000)
        // A hole costs nothing.
        let name = try bench.storedNames()[0]
        let heldBytes = Int64(content.lengthBytes) - missingBytes
        let file = try Directory.open(bench.folder["partial"]).open(RelativePath(name), flags: 2)
        try file.truncate(to: heldBytes)
        let downloader = try bench.downloader()
        let (_, huge) = downloader.ask(request)
        _ = try await huge.events.events(atLeast: 1)
        let other = try await downloader.answer(to: bench.request())
        #expect(try await contentDifference(bench.content.bytes(), other.bytes()) == nil)
        #expect(huge.answers.events.isEmpty)
        await downloader.shutDown()
        #expect(try await huge.answer().code == .cancelled)
        #expect(bench.wire("/huge") == ["200"], "the server is asked once all is read, not before")
        #expect(try file.status().sizeBytes == heldBytes, "and nothing of it is lost")
        #expect(try bench.storedNames().filter { $0.hasPrefix(name) } == [name, name + ".resume"])
    }
}
