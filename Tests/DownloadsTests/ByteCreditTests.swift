import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// What all downloads may receive together, and is too little for one that can't be had in parts.
@Suite struct ByteCreditTests {
    private let bench: Workbench

    init() throws { bench = try Workbench(lengthBytes: 2_000_000) }

    /// Asks with a downloader of its own, as each run does.
    private func ask(creditBytes: Int64 = 1_000_000, _ request: DownloadRequest) async throws -> DownloadError.Code? {
        var configuration = DownloaderConfiguration()
        configuration.retry.baseDelay = .milliseconds(1)
        let exhausted = Watched(false)
        let downloader = Downloader(
            configuration: configuration, store: try ResumeStore(path: bench.folder["partial"]),
            credit: ByteCredit(bytes: creditBytes) { exhausted.update { $0 = true } }, makeRoom: { _ in nil })
        let (_, caller) = downloader.ask(request)
        let watch = Task {
            try await exhausted.wait(for: "the end of the credit") { $0 ? () : nil }
            await downloader.shutDown()
        }
        defer { watch.cancel() }
        let answer = try await caller.answer()
        // It has let go of the file before the next one asks.
        await downloader.shutDown()
        return answer.code
    }

    @Test(arguments: [true, false]) func whatBeginsAnewEachTimeIsNotBegunAgain(saysSo: Bool) async throws {
        bench.server.serve(
            "/a",
            Resource(bench.content).ranges(.ignored)
                .altered { saysSo ? $1.header("Accept-Ranges", "none") : $1 })
        let request = try bench.request { $0.digest = bench.digest }
        // Where the server says nothing, it is found out by asking.
        if !saysSo { #expect(try await ask(request) == .cancelled) }
        let sent = bench.server.bodyBytesSent("/a")
        for _ in 1...2 { #expect(try await ask(request) == .beyondCredit) }
        #expect(bench.server.exchanges("/a").count == (saysSo ? 2 : 3))
        let more = bench.server.bodyBytesSent("/a") - sent
        #expect(more < 2_000_000, "nobody takes it: \(more)")
        #expect(try await ask(creditBytes: 2_000_000, request) == nil, "once there is enough")
    }

    @Test func whatCanBeGoneOnWithIsBegun() async throws {
        let request = try bench.request()
        #expect(try await ask(request) == .cancelled)
        #expect(try await ask(creditBytes: 1_100_000, request) == nil)
        #expect(bench.wire().last?.hasPrefix("206") == true)
    }

    @Test func aMirrorThatDoesRangesIsAskedInstead() async throws {
        bench.server.serve(
            "/a", Resource(bench.content).ranges(.ignored).altered { $1.header("Accept-Ranges", "none") })
        bench.server.serve("/b", Resource(bench.content))
        #expect(try await ask(bench.request(mirrors: ["/b"]) { $0.digest = bench.digest }) == .cancelled)
        #expect(bench.server.exchanges("/b").count == 1)
    }
}
