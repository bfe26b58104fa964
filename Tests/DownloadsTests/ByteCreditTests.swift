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

    /// What is left wouldn't do, and none of it is spent on that; who is under way gets all that it needs.
    @Test func whatIsLeftIsNotSpentOnWhatCannotBeComplete() async throws {
        let gate = try Gate()
        for path in ["/a", "/b", "/c"] {
            bench.server.serve(
                path,
                Resource(bench.content).altered {
                    path == "/c" ? $1 : $1.header("Accept-Ranges", "none").stalled(afterBytes: 100_000, until: gate)
                })
        }
        let exhausted = Watched(false)
        let downloader = Downloader(
            configuration: DownloaderConfiguration(), store: try ResumeStore(path: bench.folder["partial"]),
            credit: ByteCredit(bytes: 3_500_000) { exhausted.update { $0 = true } }, makeRoom: { _ in nil })
        let (_, first) = downloader.ask(try bench.request("/a"))
        try await first.waitForBytes(50_000)
        // Of the 3,500,000 bytes 2,000,000 are the first one's, be they here or not.
        let second = try await downloader.answer(to: bench.request("/b"))
        #expect(try await second.answer().code == .creditSpent)
        // What can be had in parts takes what is left of the others, and no more.
        let (_, third) = downloader.ask(try bench.request("/c"))
        try await third.waitForBytes(1_200_000)
        #expect(!exhausted.now, "who is under way isn't done yet")
        gate.open()
        #expect(try await first.answer().code == nil)
        try await exhausted.wait(for: "the end of the credit") { $0 ? () : nil }
        await downloader.shutDown()
        #expect(try await third.answer().code == .cancelled)
    }

    /// Nobody is to blame.
    @Test func thatTooLittleIsLeftIsToldRatherThanThatAMirrorFails() async throws {
        bench.server.serve("/a", Resource(bench.content).altered { $1.header("Accept-Ranges", "none") })
        bench.server.serve("/b", always: .errorPage(404))
        bench.server.serve("/small", Resource(.pattern(lengthBytes: 500_000, seed: 1)))
        let downloader = Downloader(
            configuration: DownloaderConfiguration(), store: try ResumeStore(path: bench.folder["partial"]),
            credit: ByteCredit(bytes: 2_200_000) {}, makeRoom: { _ in nil })
        #expect(try await downloader.answer(to: bench.request("/small")).answer().code == nil)
        let caller = try await downloader.answer(to: bench.request("/a", mirrors: ["/b"]))
        #expect(try await caller.answer().code == .creditSpent)
        await downloader.shutDown()
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
