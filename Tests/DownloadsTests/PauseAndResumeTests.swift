import FaultServer
import Platform
import TestSupport
import Testing

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
}
